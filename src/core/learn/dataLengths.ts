import type { Target } from '../hardware/gpu';
import type { Estimate } from '../memory/estimate';
import { estimateRun } from '../memory/estimateRun';
import type { MemorySession } from '../memory/session';
import type { ModelFacts } from '../models/model';
import { changed } from '../dialects/change';
import type { RunSpec } from '../spec/runSpec';
import { cutAt, longestOf, meanOf, shareAbove } from '../lengths/counts';
import { isWhole, longestRow, tokenBins } from '../lengths/record';
import type { LengthRecord } from '../lengths/record';

/**
 * What the lengths of the data decide: `longest`: a batch is padded to its longest row; `fixed`: to the limit; `packed`: rows are
 * filled up to the limit; `prompts`: the data are only what the model goes on from.
 */
export type RowUse = 'longest' | 'fixed' | 'packed' | 'prompts';

/** What a run's data have to do with its memory. */
export interface DataLengths {
  readonly record: LengthRecord;
  /** The files are others by now. */
  readonly isStale: boolean;
  /** Tokens that the config allows a row; null: it sets no limit. */
  readonly limit: number | null;
  readonly use: RowUse;
  /** Tokens of the longest row that the data can have, in steps of 64 as frameworks pad; null: no one can say. */
  readonly longest: number | null;
  /** Share of rows that are longer than the limit. */
  readonly cutShare: number;
  /** Share of a batch's tokens that is padding; null where there is none, or it is not known how many rows a batch has. */
  readonly paddingShare: number | null;
  /** With rows as long as the longest of the data; null where that changes nothing, or cannot be computed. */
  readonly estimate: Estimate | null;
}

/** Tasks whose rows are written by the model. */
const WRITTEN: ReadonlySet<string> = new Set([
  'grpo',
  'ppo',
  'rloo',
  'online_dpo',
  'xpo',
  'nash_md',
  'gkd',
  'infer',
  'serve',
]);

/** Frameworks pad a batch to a multiple: Axolotl of 64, LLaMA-Factory of 8, TRL of what is set. */
const STEP = 64;

export const roundedUp = (tokens: number): number => Math.ceil(tokens / STEP) * STEP;

/** What else an estimate of the run is made with. */
interface LengthsFacts {
  readonly model: ModelFacts | null;
  readonly target: Target | null;
  /** What estimates share; absent where each is made by itself. */
  readonly memory?: MemorySession | undefined;
}

/** What was counted, next to what the config says. */
export function dataLengths(
  run: RunSpec,
  { model, target, memory }: LengthsFacts,
  { record, isStale }: { readonly record: LengthRecord; readonly isStale: boolean },
): DataLengths {
  const limit = run.quantities.seqLen.value;
  const use = useOf(run);
  const longest = longestIn(record);
  const bins = tokenBins(record);
  const rest = {
    record,
    isStale,
    limit,
    use,
    longest,
    cutShare: limit === null ? 0 : shareAbove(bins, limit),
    paddingShare: paddingIn(run, use, limit, record),
  };
  const decides = use === 'longest' && longest !== null && !isStale && (limit === null || longest < limit);
  const at = decides ? estimateRun(ofLength(run, longest), model, target, { session: memory }) : null;
  return { ...rest, estimate: at?.ok === true ? at.estimate : null };
}

/** The run with another limit of its rows. */
export const ofLength = (run: RunSpec, tokens: number): RunSpec =>
  changed(run, [{ quantity: 'seqLen', to: tokens }]);

/** Tokens that a chat template writes by itself, at most: a date, a system prompt (see CHAT_MARKS). */
const TEMPLATE = 40;

/** Of rows that no one looked at there may be longer ones: then what was seen is what there is to go by. */
function longestIn(record: LengthRecord): number | null {
  const { expected, high } = longestRow(record);
  const tokens = (high ?? expected) + (record.marks === null ? 0 : TEMPLATE);
  return tokens > 0 ? roundedUp(tokens) : null;
}

function useOf({ quantities: { task, packing }, details }: RunSpec): RowUse {
  if (WRITTEN.has(task.value ?? '')) return 'prompts';
  if (packing.value === true || (packing.value === null && task.value === 'pretrain')) return 'packed';
  return details.fixedLength?.value === true ? 'fixed' : 'longest';
}

function paddingIn(run: RunSpec, use: RowUse, limit: number | null, record: LengthRecord): number | null {
  const { microBatchSize } = run.quantities;
  const rows = microBatchSize.value;
  if (use === 'packed' || use === 'prompts' || rows === null) return null;
  if (use === 'longest' && (microBatchSize.unit ?? 'samples') !== 'samples') return null;
  const all = tokenBins(record);
  const bins = limit === null ? all : cutAt(all, limit);
  const padded = use === 'fixed' ? limit : longestOf(bins, rows);
  return padded === null || padded === 0 ? null : Math.max(0, 1 - meanOf(bins) / padded);
}

/** Nothing in the data is longer: a limit above it cuts nothing. */
export const isCertain = ({ record, isStale }: DataLengths): boolean =>
  !isStale && (isWhole(record) || (record.scanned && longestRow(record).high !== null));
