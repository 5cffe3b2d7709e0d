import { contextBytes, libraryWorkspaces } from '../../core/memory/context';
import { verdictOf } from '../../core/memory/estimate';
import type { Bytes, Verdict } from '../../core/memory/estimate';
import type { Target } from '../../core/hardware/gpu';
import { MIB } from '../../core/units';
import { peakOf } from '../dryRun';
import type { Peak } from '../dryRun';
import type { HoldingLine, ProgramResult } from './result';

/** A program's peak in all metrics, in bytes, and what a GPU says to it. */
export interface ProgramAmounts {
  readonly peak: Peak;
  /** The lines that made most of the peak, largest first. */
  readonly lines: readonly HoldingLine[];
  readonly allocated: Bytes;
  readonly reserved: Bytes;
  readonly device: Bytes;
  readonly verdict: Verdict;
}

/** Deviation of dry runs from GPUs with the same code (docs/accuracy.md). */
const SAME_CODE = 0.02;
/** What stood in for something, and how far it may be off: below and above. */
const STAND_INS: readonly (readonly [RegExp, number, number])[] = [
  // Fused chains need up to two fifths less: torchtune's own table, with and without it.
  [/^torch\.compile is left out/, 0.4, SAME_CODE],
  // As Inductor would write them; what it decides by size is not known.
  [/^torch\.compile: fused/, 0.05, 0.05],
  [/by (?:its|their) storages$/, 0.1, 0.1],
  // The rows of a missing data set are as long as the program's own limit.
  [/^\d+ rows of|^words as tokens/, 0.3, 0.1],
  // Nobody knows the size of a missing picture, nor how long rows are that nothing limits.
  [
    /^\d+ made-up|^made-up volumes|^blanks for| or tokens for |which nothing in the program limits$/,
    0.5,
    0.5,
  ],
  // Most checkpoints are stored in 16 bits.
  [/whose dtype is unknown$/, 0.5, SAME_CODE],
  // A number of tokens that nobody knows: logits and embeddings grow with it.
  [/^32,000 tokens for /, 0.3, 0.5],
];
/** Shapes that depend on data were made up as the largest ones. */
const MADE_UP = { below: 0.5, above: 0.1 };

/** The amounts of the GPU that needs most. `target`: the GPU to compare with; null: none, so no verdict. */
export function amountsOf(result: ProgramResult, target: Target | null): ProgramAmounts {
  const peak = peakOf(result);
  const [workspace = 0] = libraryWorkspaces(target, 1);
  const context = contextBytes(target, result.gpus, result.convolves);
  const spread = spreadOf(result);
  const range = (expected: number): Bytes => ({
    low: expected * (1 - spread.below),
    expected,
    high: expected * (1 + spread.above),
  });
  const allocated = peak.bytes + workspace;
  const reserved = Math.max(allocated, result.reserved + workspace);
  const device = range(reserved + context);
  const usable = target === null ? null : target.usableMiB * MIB - target.busyMiB * MIB;
  return {
    peak,
    lines: result.lines[peak.phase] ?? [],
    allocated: range(allocated),
    reserved: range(reserved),
    device,
    verdict: verdictOf(device, allocated + context, usable),
  };
}

export function spreadOf({ standIns, assumedShapes }: ProgramResult): {
  readonly below: number;
  readonly above: number;
} {
  const made = assumedShapes > 0 ? MADE_UP : { below: SAME_CODE, above: SAME_CODE };
  const used = STAND_INS.filter(([pattern]) => standIns.some(what => pattern.test(what)));
  return {
    below: Math.max(made.below, ...used.map(([, below]) => below)),
    above: Math.max(made.above, ...used.map(([, , above]) => above)),
  };
}
