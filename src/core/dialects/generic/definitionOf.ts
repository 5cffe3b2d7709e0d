import type { DialectDefinition } from '../defined/definition';
import { GENERIC } from './name';

/** A dialect of rows that were found by name; `strong`: keys that tell it. */
export function definitionOf(rows: DialectDefinition['rows'], strong: readonly string[]): DialectDefinition {
  return {
    id: GENERIC,
    title: 'Generic reading',
    file: '',
    loader: 'pyyaml',
    signature: { strong, medium: [], weak: [], against: [], least: 4 },
    sections: [],
    rows,
    stages: null,
    ownModel: null,
    role: 'run',
    framework: null,
    engines: [],
    releases: [],
    unstated: 'none',
    byRole: false,
    references: [],
    program: null,
    calls: [],
    logs: [],
    detailKeys: {},
    like: {},
    writers: {},
    datasets: [],
    compose: null,
    classKeys: [],
    otherKeys: [],
    keysOf: [],
    launch: [],
    help: {},
    rules: [],
    pack: null,
  };
}
