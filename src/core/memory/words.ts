import { formatCapacity } from '../units';
import { gigabytes } from '../units';
import type { Verdict } from './estimate';
import type { DeviceEstimate } from './estimate';

/** A phase for sentences: `backward pass`, `optimizer step`. */
export const phaseText = (phase: DeviceEstimate['peakPhase']): string =>
  phase.endsWith('ward') ? `${phase} pass` : phase;

const PASSES: Readonly<Record<string, string>> = {
  forward: 'forward pass',
  backward: 'backward pass',
  optimizer: 'optimizer step',
};

/**
 * A phase as the scripts in the user's Python name it, in words: `backward pass`, `optimizer step of the first
 * step`. Steady phases occur in every step after the first.
 */
export function measuredPhaseText(phase: string): string {
  const [name = '', step = ''] = phase.split(' ');
  const words = PASSES[name];
  if (words === undefined) return phase === 'load' ? 'loading the model' : phase;
  return step === 'first' ? `${words} of the first step` : words;
}

export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  fits: 'fits',
  tight: 'tight',
  exceeds: 'does not fit',
  unknown: 'unknown',
};

/**
 * The assumption that each of several GPUs holds the whole run, because no launcher with DeepSpeed or FSDP is
 * known.
 */
export const NO_SHARDING =
  'no sharding: each GPU holds the whole model, since no launcher with DeepSpeed or FSDP is known';

/** Why a run has an amount but no verdict: no key limits its rows. */
export const UNCUT = 'the longest sample decides';

/** A term as text. */
export const termInWords = (term: string): string => term.replace(/^cuda\b/, 'CUDA');

/** The memory for a run: `24 GB`, or `23.5 usable GB` if only that explains the verdict. */
export function room({ device, capacityBytes, usableBytes, verdict }: DeviceEstimate): string {
  const unexplained = verdict === 'exceeds' && device.expected <= (capacityBytes ?? 0);
  // A server that refuses to start has memory enough.
  const isShort = usableBytes !== null && device.expected > usableBytes;
  if (unexplained && isShort) return `${gigabytes(usableBytes)} usable GB`;
  return formatCapacity(capacityBytes ?? 0);
}
