import { assertBrief } from '../brief';
import { readConfig } from '../../../src/core/reading/read';
import type { Target } from '../../../src/core/hardware/gpu';
import type { Estimate } from '../../../src/core/memory/estimate';
import type { ModelFacts } from '../../../src/core/models/model';
import type { World } from '../../../src/core/analyse/world';
import { checkRules, ruleContext } from '../../../src/core/rules/check';
import type { LocatedReport } from '../../../src/core/rules/check';
import type { Origin } from '../../../src/core/spec/quantity';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import type { QuantityValues } from '../../../src/core/spec/values';

/** The surroundings of a config under test. */
export interface Surroundings {
  readonly file?: string;
  /** Files next to the config, by name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly model?: ModelFacts | null;
  readonly target?: Target | null;
  readonly estimate?: Estimate | null;
  readonly missing?: readonly string[];
  /** Values given by a person, e.g. the number of GPUs. */
  readonly given?: Partial<QuantityValues>;
  /** Values that a config of some other dialect would state, at the config's first key. */
  readonly stated?: Partial<QuantityValues>;
}

/** An in-memory world of a few files without models. */
function worldOf(files: Readonly<Record<string, string>>): World {
  const folders = Object.keys(files);
  return {
    files: {
      read: path =>
        Promise.resolve(files[path] === undefined ? { absence: 'missing' } : { text: files[path] }),
      list: folder =>
        Promise.resolve(
          folders
            .filter(path => path.startsWith(`${folder}/`))
            .map(path => path.slice(folder.length + 1).split('/')[0] ?? '')
            .sort(),
        ),
    },
    models: { find: () => Promise.resolve({ model: null, why: null, dependencies: [] }) },
  };
}

/** The runs of a text, read as in production. */
export async function runsOf(text: string, surroundings: Surroundings = {}): Promise<readonly RunSpec[]> {
  const { file = '/project/config.yaml', files = {}, given = {}, stated = {} } = surroundings;
  const all = Object.fromEntries(
    Object.entries(files).map(([name, content]) => [`/project/${name}`, content]),
  );
  const reading = await readConfig(file, text, worldOf({ ...all, [file]: text }), { aborted: false });
  const user: Origin = { kind: 'user', setting: 'test' };
  const span = { start: 0, end: 0 };
  const inFile: Origin = { kind: 'file', at: { file, path: '', keySpan: span, valueSpan: span, line: 1 } };
  return reading.runs.map(run => withValues(withValues(run, given, user), stated, inFile));
}

function withValues(run: RunSpec, values: Partial<QuantityValues>, origin: Origin): RunSpec {
  const quantities = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { value, origin }]),
  );
  return { ...run, quantities: { ...run.quantities, ...quantities } };
}

/** All findings of all runs of a text. */
export async function findingsOf(
  text: string,
  surroundings: Surroundings = {},
): Promise<readonly LocatedReport[]> {
  const runs = await runsOf(text, surroundings);
  const { model = null, target = null, estimate = null, missing = [] } = surroundings;
  const found = runs.flatMap(run =>
    checkRules(ruleContext({ run, model, target, estimate, missing }), { severities: {} }),
  );
  found.forEach(({ report }) => assertBrief(report.message));
  return found;
}
