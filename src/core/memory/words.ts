import { formatCapacity } from '../units';
import { gigabytes } from '../units';
import type { Verdict } from './estimate';
import type { DeviceEstimate } from './estimate';

/** A phase in a sentence: `backward pass`, `optimizer step`. */
export const phaseInWords = (phase: DeviceEstimate['peakPhase']): string =>
  phase.endsWith('ward') ? `${phase} pass` : phase;

const PASSES: Readonly<Record<string, string>> = {
  forward: 'forward pass',
  backward: 'backward pass',
  optimizer: 'optimizer step',
};

/**
 * A phase as scripts in the user's Python name it, in words: `backward pass`, `optimizer step of the first step`. What is steady is
 * what every step after the first has.
 */
export function seenPhaseInWords(phase: string): string {
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

/** The assumption that several GPUs each hold the whole run, because nobody is known to start it with DeepSpeed or FSDP. */
export const NO_SHARDING =
  'no sharding: each GPU holds the whole model, since no launcher with DeepSpeed or FSDP is known';

/** What there is for a run: `24 GB`, or, where only that explains the verdict, `23.5 usable GB`. */
export function room({ device, capacityBytes, usableBytes, verdict }: DeviceEstimate): string {
  const unexplained = verdict === 'exceeds' && device.expected <= (capacityBytes ?? 0);
  if (unexplained && usableBytes !== null) return `${gigabytes(usableBytes)} usable GB`;
  return formatCapacity(capacityBytes ?? 0);
}
