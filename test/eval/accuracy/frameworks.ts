import { frameworkIdOf } from '../../../src/core/spec/frameworkId';
import type { Framework } from '../../../src/core/spec/runSpec';
import type { PublishedRecord } from './publishedRecord';
import { citedReleases } from './recipes';
import { releasesIn, releasesOfYear } from './releases';

/** `litgpt (8641822, torch 2.1.0+cu121, bitsandbytes 0.41.1)`: the name, and the named releases. */
export function frameworkOf(record: PublishedRecord): Framework {
  const { framework, extra, source_url_or_repo_path: source } = record;
  const named = releasesIn(framework);
  const isAccelerated = extra?.['framework_config'] !== undefined;
  // fms-acceleration's plugins around trl's SFTTrainer.
  const own = isAccelerated ? 'trl' : nameIn(framework);
  const benchmarks = OF_BENCHMARKS[isAccelerated ? 'fms-acceleration' : own];
  const libraries =
    Object.keys(named).length > 0 ? named : (citedReleases(record) ?? benchmarks ?? releasesOfYear(source));
  const stated = libraries['transformers'] !== undefined && libraries !== benchmarks;
  return {
    id: frameworkIdOf(own),
    name: own,
    version: libraries[own] ?? monthOf(own, record),
    libraries,
    stated,
  };
}

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^diffusers|cogvideox-factory|finetrainers/i, 'diffusers'],
  [/^litgpt/i, 'litgpt'],
  [/axolotl/i, 'axolotl'],
  [/torchtune/i, 'torchtune'],
  [/^torchtitan/i, 'torchtitan'],
  [/^megatron-bridge/i, 'megatron-bridge'],
  [/^megatron/i, 'megatron-lm'],
  [/trl|sfttrainer/i, 'trl'],
  [/trainer/i, 'transformers'],
  [/^simpletuner/i, 'simpletuner'],
  [/^detectron2/i, 'detectron2'],
  [/^peft method_comparison/i, 'peft-benchmark'],
  [/^transformers/i, 'transformers-bare'],
];

/** The releases in a framework's benchmarks if a record names none (scripts/benchmarks/refs/requirements.txt). */
const OF_BENCHMARKS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'fms-acceleration': { transformers: '4.45.2', torch: '2.4.1', peft: '0.13.2', trl: '0.11.4' },
  // detectron2 MODEL_ZOO.md: trained in Sep-Oct 2019; docs/notes/benchmarks.md.
  detectron2: { torch: '1.5' },
  // The tables of mmdetection 2 and mmsegmentation 0.x, which later releases repeat, predate torch 2.0.
  mmdetection: { torch: '1.9' },
  mmsegmentation: { torch: '1.9' },
};

/** Frameworks whose releases are identified by the month of their main branch. */
const BY_MONTH: ReadonlySet<string> = new Set(['torchtitan']);

/** `(commit message, 2025-03)`, `llama3_h100_202412_torchtitan.md`, `default llama3_8b.toml of June 2024`: `2025.03`. */
function monthOf(name: string, record: PublishedRecord): string | null {
  if (!BY_MONTH.has(name)) return null;
  const words = [record.source_url_or_repo_path, ...(record.assumptions ?? [])].join('; ');
  const dated = /(20\d\d)-?(0[1-9]|1[0-2])(?!\d)/.exec(words);
  if (dated) return `${dated[1]}.${dated[2]}`;
  const named = /of (June|December|March) (20\d\d)/.exec(words);
  return named ? `${named[2]}.${MONTHS[named[1] ?? '']}` : null;
}

const MONTHS: Readonly<Record<string, string>> = { March: '03', June: '06', December: '12' };

function nameIn(words: string): string {
  return NAMES.find(([pattern]) => pattern.test(words))?.[1] ?? words;
}
