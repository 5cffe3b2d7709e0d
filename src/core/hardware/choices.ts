import { describeTarget } from './describe';
import type { GpuFacts, Target } from './gpu';
import type { GpuSource } from './match';
import { parseTarget } from './target';

/** What most people own or rent, the smallest first; by the catalog's labels. */
const COMMON: readonly string[] = [
  'RTX 3090',
  'RTX 4090',
  'RTX 5090',
  'T4',
  'L4',
  'A10G',
  'L40S',
  'A100 SXM4 40GB',
  'A100 SXM4 80GB',
  'H100 SXM',
  'H200',
  'B200',
];

/** Sizes of memory that are offered by themselves. */
export const COMMON_GB: readonly number[] = [8, 12, 16, 24, 40, 48, 80];

/** Does a list of GPUs begin with this one? */
export const isCommon = (label: string): boolean => COMMON.includes(label);

/** The GPUs that most people own or rent. */
export function commonGpus(gpus: GpuSource): readonly GpuFacts[] {
  const byLabel = new Map(gpus.all().map(gpu => [gpu.label, gpu]));
  return COMMON.flatMap(label => byLabel.get(label) ?? []);
}

/** A row for what somebody has typed into a list of GPUs. */
export interface TypedChoice {
  readonly label: string;
  /** What is meant, or why nothing is. */
  readonly says: string;
  /** What a setting keeps of it; null: it cannot be chosen. */
  readonly value: string | null;
}

/** Of so many GPUs that a name may mean, each is offered. */
const MOST_MEANT = 8;

/**
 * What a text means as a GPU: one target; the amount of memory to choose where the GPU's own is not known; the GPUs between
 * which it does not decide; or a row that says what can be typed. `isListed`: the list has rows with this text by itself.
 */
export function typedChoices(text: string, gpus: GpuSource, isListed: boolean): readonly TypedChoice[] {
  const typed = text.trim();
  if (typed === '') return [];
  const reading = parseTarget(typed, gpus, { count: null, nodes: 1 });
  if (reading.ok) {
    return [{ label: typed, says: describeTarget(reading.target), value: settingOf(reading.target, typed) }];
  }
  const match = gpus.match(typed);
  if (match.kind === 'one') return unsized(typed, match.gpu);
  const near = meant(typed, gpus, isListed).map(label => gpuChoice(label, gpus));
  if (isListed || near.length > 0) return near;
  return [
    { label: typed, says: 'not a known GPU. Type a name (RTX 4090, 2x H100) or memory (24GB).', value: null },
  ];
}

/** GPUs whose name has every word that was typed; where none has, those with a similar one. */
function meant(typed: string, gpus: GpuSource, isListed: boolean): readonly string[] {
  const words = typed.toLowerCase().split(/\s+/);
  const named = gpus.all().flatMap(({ label, memoryMiB }) => {
    const has = memoryMiB !== null && words.every(word => label.toLowerCase().includes(word));
    return has ? [label] : [];
  });
  if (named.length > 0) return named.length > MOST_MEANT ? [] : named;
  const reading = parseTarget(typed, gpus, { count: null, nodes: 1 });
  return reading.ok || isListed ? [] : reading.near.slice(0, MOST_MEANT);
}

/** One GPU goes by its label and an amount by its number, however they were typed. */
const settingOf = ({ name, count }: Target, typed: string): string => (count === null ? name : typed);

/** A GPU that shares its machine's memory: what of it programs get is for the user to say. */
function unsized(typed: string, { label, marketingGB }: GpuFacts): readonly TypedChoice[] {
  if (marketingGB === null) {
    return [
      { label: typed, says: `${label}: memory not known. Type the amount, such as 24GB.`, value: null },
    ];
  }
  const says = `${marketingGB} GB, all of the memory of ${label}. Type less if programs get less.`;
  return [{ label: typed, says, value: `${marketingGB} GB` }];
}

function gpuChoice(label: string, gpus: GpuSource): TypedChoice {
  const reading = parseTarget(label, gpus, { count: null, nodes: 1 });
  return { label, says: reading.ok ? describeTarget(reading.target) : '', value: label };
}
