import { describeTarget } from './describe';
import type { GpuFacts, Target } from './gpu';
import type { GpuSource } from './match';
import { parseTarget } from './target';
import type { Say } from '../text/say';

/** The GPUs that are most often owned or rented, smallest first; by the catalog's labels. */
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

/** Memory sizes that are offered without a GPU. */
export const COMMON_GB: readonly number[] = [8, 12, 16, 24, 40, 48, 80];

/** True if this GPU is among the first of a list. */
export const isCommon = (label: string): boolean => COMMON.includes(label);

/** The GPUs that are most often owned or rented. */
export function commonGpus(gpus: GpuSource): readonly GpuFacts[] {
  const byLabel = new Map(gpus.all().map(gpu => [gpu.label, gpu]));
  return COMMON.flatMap(label => byLabel.get(label) ?? []);
}

/** A row for the text that the user typed into a list of GPUs. */
interface TypedChoice {
  readonly label: string;
  /** What the text means, or why it means nothing. */
  readonly says: string;
  /** The value for the setting; null: the row cannot be chosen. */
  readonly value: string | null;
}

/** An ambiguous name offers at most this many GPUs. */
const MOST_MEANT = 8;

/**
 * Choices for a typed text: its target, the candidates if the text is ambiguous, or a row that says what to type. `isListed`: the list already has rows with this text.
 */
export function typedChoices(
  say: Say,
  text: string,
  gpus: GpuSource,
  isListed: boolean,
): readonly TypedChoice[] {
  const typed = text.trim();
  if (typed === '') return [];
  const reading = parseTarget(typed, gpus, { count: null, nodes: 1 });
  if (reading.ok) {
    const says = describeTarget(say, reading.target);
    return [{ label: typed, says, value: settingOf(reading.target, typed) }];
  }
  const near = matchingNames(typed, gpus, isListed).map(label => gpuChoice(say, label, gpus));
  if (isListed || near.length > 0) return near;
  const says = say('not a known GPU. Type a name (RTX 4090, 2x H100) or memory (24GB).');
  return [{ label: typed, says, value: null }];
}

/** GPUs whose name has every typed word; if there are none, GPUs with a similar name. */
function matchingNames(typed: string, gpus: GpuSource, isListed: boolean): readonly string[] {
  const words = typed.toLowerCase().split(/\s+/);
  const named = gpus.all().flatMap(({ label, memoryMiB }) => {
    const has = memoryMiB !== null && words.every(word => label.toLowerCase().includes(word));
    return has ? [label] : [];
  });
  if (named.length > 0) return named.length > MOST_MEANT ? [] : named;
  const reading = parseTarget(typed, gpus, { count: null, nodes: 1 });
  return reading.ok || isListed ? [] : reading.near.slice(0, MOST_MEANT);
}

/** The setting keeps a single GPU by its label and an amount by its number, however they were typed. */
const settingOf = ({ name, count }: Target, typed: string): string => (count === null ? name : typed);

function gpuChoice(say: Say, label: string, gpus: GpuSource): TypedChoice {
  const reading = parseTarget(label, gpus, { count: null, nodes: 1 });
  return { label, says: reading.ok ? describeTarget(say, reading.target) : '', value: label };
}
