import type { Framework } from '../../src/core/spec/runSpec';
import type { PublishedRecord } from './publishedRecord';
import { releasesIn } from './releases';

/** `litgpt (8641822, torch 2.1.0+cu121, bitsandbytes 0.41.1)`: the name, and releases of what is named with one. */
export function frameworkOf(record: PublishedRecord): Framework {
  const { framework, extra } = record;
  const libraries = releasesIn(framework);
  const own = extra?.['framework_config'] === undefined ? nameIn(framework) : 'fms-acceleration';
  const stated = libraries['transformers'] !== undefined;
  return { name: own, version: libraries[own] ?? null, libraries, stated };
}

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^litgpt/i, 'litgpt'],
  [/^autoawq/i, 'autoawq'],
  [/axolotl/i, 'axolotl'],
  [/torchtune/i, 'torchtune'],
  [/trl|sfttrainer/i, 'trl'],
  [/trainer/i, 'transformers'],
  [/^peft method_comparison/i, 'peft-benchmark'],
  [/^transformers/i, 'transformers-bare'],
];

function nameIn(words: string): string {
  return NAMES.find(([pattern]) => pattern.test(words))?.[1] ?? words;
}
