import type { TermName } from '../models/terms';
import { phrase, said, template } from '../text/say';
import type { Say, Template } from '../text/say';
import { formatCapacity, gigabytes } from '../units';
import type { DeviceEstimate, HostTerm, Verdict } from './estimate';

type Phase = DeviceEstimate['peakPhase'];

const PHASES: Readonly<Record<Phase, Template>> = {
  load: template('load'),
  evaluation: template('evaluation'),
  merge: template('merge'),
  resume: template('resume'),
  save: template('save'),
  'first forward': template('first forward pass'),
  'first backward': template('first backward pass'),
  'first optimizer step': template('first optimizer step'),
  forward: template('forward pass'),
  generation: template('generation'),
  'weight sync': template('weight sync'),
  encode: template('encode'),
  decode: template('decode'),
  backward: template('backward pass'),
  'optimizer step': template('optimizer step'),
};

/** A phase for sentences: `backward pass`, `optimizer step`. */
export const phaseText = (say: Say, phase: Phase): string => said(say, PHASES[phase]);

/**
 * A phase as the scripts in the user's Python name it, in words: `backward pass`, `optimizer step of the first
 * step`. Steady phases occur in every step after the first.
 */
export function measuredPhaseText(say: Say, phase: string): string {
  const [name = '', step = ''] = phase.split(' ');
  const isFirst = step === 'first';
  switch (name) {
    case 'forward':
      return isFirst ? say('forward pass of the first step') : say('forward pass');
    case 'backward':
      return isFirst ? say('backward pass of the first step') : say('backward pass');
    case 'optimizer':
      return isFirst ? say('optimizer step of the first step') : say('optimizer step');
    default:
      return phase === 'load' ? say('loading the model') : phase;
  }
}

const VERDICTS: Readonly<Record<Verdict, Template>> = {
  fits: template('fits'),
  tight: template('tight'),
  exceeds: template('does not fit'),
  unknown: template('unknown'),
};

/** A verdict in words. */
export const verdictWord = (say: Say, verdict: Verdict): string => said(say, VERDICTS[verdict]);

/**
 * The assumption that each of several GPUs holds the whole run, because no launcher with DeepSpeed or FSDP is
 * known.
 */
export const NO_SHARDING = phrase`no sharding: each GPU holds the whole model, since no launcher with DeepSpeed or FSDP is known`;

/** Why a run has an amount but no verdict: no key limits its rows. */
export const UNCUT = phrase`the longest sample decides`;

const TERMS: Readonly<Record<TermName, Template>> = {
  weights: template('weights'),
  adapters: template('adapters'),
  gradients: template('gradients'),
  'optimizer states': template('optimizer states'),
  activations: template('activations'),
  'logits and loss': template('logits and loss'),
  'kv cache': template('kv cache'),
  communication: template('communication'),
  temporaries: template('temporaries'),
  'inputs and buffers': template('inputs and buffers'),
  'library workspace': template('library workspace'),
  'allocator slack': template('allocator slack'),
  'rollout engine': template('rollout engine'),
  'communication buffers': template('communication buffers'),
  'cuda graphs': template('CUDA graphs'),
  'cuda context': template('CUDA context'),
};

const HOST_TERMS: Readonly<Record<HostTerm['term'], Template>> = {
  processes: template('processes'),
  'weights while loading': template('weights while loading'),
  'prefetched batches': template('prefetched batches'),
  offloaded: template('offloaded'),
  'paged optimizer states': template('paged optimizer states'),
  'sleeping engine': template('sleeping engine'),
  'computing on the CPU': template('computing on the CPU'),
  checkpoint: template('checkpoint'),
};

/** What host RAM is needed for, as text. */
export const hostTermInWords = (say: Say, { term }: HostTerm): string => said(say, HOST_TERMS[term]);

/** A term as text. */
export const termInWords = (say: Say, term: TermName): string => said(say, TERMS[term]);

/** The memory for a run: `24 GB`, or `23.5 usable GB` if only that explains the verdict. */
export function room(
  say: Say,
  {
    device,
    capacityBytes,
    usableBytes,
    verdict,
  }: Pick<DeviceEstimate, 'device' | 'capacityBytes' | 'usableBytes' | 'verdict'>,
): string {
  const unexplained = verdict === 'exceeds' && device.expected <= (capacityBytes ?? 0);
  // A server that refuses to start has memory enough.
  const isShort = usableBytes !== null && device.expected > usableBytes;
  if (unexplained && isShort) return say('{0} usable GB', gigabytes(usableBytes));
  return formatCapacity(capacityBytes ?? 0);
}
