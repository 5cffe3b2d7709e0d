import type { Target } from '../hardware/gpu';
import type { TermName } from '../models/terms';
import { MIB } from '../units';
import { verdictOf } from './estimate';
import type { DeviceEstimate } from './estimate';
import { interval } from './interval';
import type { Spread } from './calibration';
import { awakeShare } from './run';
import type { MemoryRun } from './run';

/** What stays of training while completions are written: gradients and activations are gone. */
const STAYING: ReadonlySet<TermName> = new Set(['weights', 'adapters', 'optimizer states', 'cuda context']);

/**
 * The same device at its other peak, if that is higher: an engine that sleeps during training is awake, next to the
 * weights and states of the trainer (trl, generation/vllm_generation.py: sleep(level=2) after each generation; verl,
 * workers/rollout: free_cache_engine). Cached memory of the trainer is emptied before it wakes up.
 */
export function whileWriting(
  { generation: { rollout } }: MemoryRun,
  target: Target | null,
  training: DeviceEstimate,
  spread: Spread,
): DeviceEstimate {
  const share = awakeShare(rollout);
  if (share === 0 || target === null) return training;
  const stays = training.terms.filter(({ term }) => STAYING.has(term));
  const held = stays.reduce((sum, { bytes }) => sum + bytes, 0);
  const engine = share * target.totalMiB * MIB;
  if (held + engine <= training.device.expected) return training;
  const own = interval(held, spread);
  const device = { low: own.low + engine, expected: held + engine, high: own.high + engine };
  const context = stays.find(({ term }) => term === 'cuda context')?.bytes ?? 0;
  const phase = { phase: 'generation' as const, bytes: held - context };
  return {
    ...training,
    device,
    verdict: verdictOf(device, device.expected, training.usableBytes),
    peakPhase: phase.phase,
    phases: [...training.phases, phase],
    terms: [
      ...stays.filter(({ term }) => term !== 'cuda context'),
      {
        term: 'rollout engine',
        bytes: engine,
        formula: `${share} of the GPU, which the engine takes while it writes completions`,
        from: ['memoryShare'],
      },
      ...stays.filter(({ term }) => term === 'cuda context'),
    ],
  };
}
