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
/** Fused chains of torch.compile need up to two fifths less: torchtune's own table, with and without it. */
const NOT_COMPILED = 0.4;
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
  const isCompiled = standIns.some(what => what.startsWith('torch.compile'));
  return { below: Math.max(made.below, isCompiled ? NOT_COMPILED : 0), above: made.above };
}
