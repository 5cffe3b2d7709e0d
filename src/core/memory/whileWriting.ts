import type { Target } from '../hardware/gpu';
import type { TermName } from '../models/terms';
import type { TrainerPart } from '../spec/values';
import { formatBytes, MIB } from '../units';
import type { Spread } from './calibration';
import { verdictOf } from './estimate';
import type { DeviceEstimate, ServedRoom, Term } from './estimate';
import { interval } from './interval';
import type { Phase } from './played';
import type { EngineRollout, MemoryRun } from './run';
import { STARTED_CONTEXT_MIB } from './served';
import { bytesPer } from './tensor';

/** What stays of training while weights go to the engine and while it writes: gradients and activations are gone. */
const STAYING: Readonly<Record<TrainerPart, ReadonlySet<TermName>>> = {
  all: new Set(['weights', 'adapters', 'optimizer states', 'cuda context']),
  weights: new Set(['weights', 'adapters', 'cuda context']),
  states: new Set(['optimizer states', 'cuda context']),
  nothing: new Set(['cuda context']),
};

/** The engine on the GPUs of a training run; null: none, or it has other GPUs. */
export const engineBeside = ({ generation: { rollout } }: MemoryRun): EngineRollout | null =>
  rollout?.by === 'engine' && rollout.share > 0 ? rollout : null;

/**
 * What stays of an engine that sleeps: what lies outside the pools of weights and cache (vllm, device_allocator/cumem.py). NeMo-RL
 * issue 223 has 774 MiB of a 1B on one H100, and 2,440 MiB with two tensor ranks.
 */
function asleepBytes({ settings }: EngineRollout, room: ServedRoom | null): number {
  const context = settings?.apart === true ? STARTED_CONTEXT_MIB.usual * MIB : 0;
  return room === null ? context : context + room.besideTorchBytes + (room.graphsBytes ?? 0);
}

/** Memory of the engine while training runs; 0 without one. */
export function engineWhileTraining(run: MemoryRun, target: Target | null, room: ServedRoom | null): number {
  const engine = engineBeside(run);
  if (engine === null || target === null) return 0;
  return engine.sleeps ? asleepBytes(engine, room) : shareBytes(engine, target);
}

const shareBytes = ({ share }: EngineRollout, { totalMiB }: Target): number => share * totalMiB * MIB;

/** Buffers for weights on their way to the engine. */
function carriedBytes({ model, numbers: { weightDtype } }: MemoryRun, { settings }: EngineRollout): number {
  const each = bytesPer(weightDtype);
  const carries = settings?.carries ?? 0;
  if (carries === 'tensor') return model.vocabSize * model.hiddenSize * each;
  if (carries === 'model') return (model.parameters?.total ?? model.publishedTotal ?? 0) * each;
  return carries * MIB;
}

interface Moment {
  readonly phase: Phase;
  readonly stays: TrainerPart;
  readonly engine: number;
  readonly formula: string;
}

/** The moments between two steps of training: weights go to the engine, then it writes. */
function momentsOf(run: MemoryRun, target: Target, room: ServedRoom | null): readonly Moment[] {
  const engine = engineBeside(run);
  if (engine === null) return [];
  const { share, sleeps, settings } = engine;
  const carried = carriedBytes(run, engine);
  const awake = sleeps ? asleepBytes(engine, room) + (room?.weightsBytes ?? 0) : shareBytes(engine, target);
  const sync: Moment = {
    phase: 'weight sync',
    stays: settings?.whileSyncing ?? 'all',
    engine: awake + carried,
    formula: `its ${sleeps ? 'weights' : 'share'}, and ${formatBytes(carried)} for weights on their way to it`,
  };
  const writes: Moment = {
    phase: 'generation',
    stays: settings?.whileWriting ?? 'all',
    engine: shareBytes(engine, target),
    formula: `${share} of the GPU, which the engine takes while it writes completions`,
  };
  return [...(carried > 0 ? [sync] : []), ...(sleeps ? [writes] : [])];
}

/**
 * The same device at its highest moment: an engine that sleeps during training is awake, next to what stays of the trainer (trl,
 * generation/vllm_generation.py; verl, workers/fsdp_workers.py, rollout_mode). Cached memory of the trainer is emptied before.
 */
export function whileWriting(
  run: MemoryRun,
  target: Target | null,
  training: DeviceEstimate,
  { spread, room }: { readonly spread: Spread; readonly room: ServedRoom | null },
): DeviceEstimate {
  const moments = target === null ? [] : momentsOf(run, target, room);
  return moments.map(moment => at(moment, training, spread)).reduce(higher, training);
}

const higher = (most: DeviceEstimate, one: DeviceEstimate): DeviceEstimate =>
  one.device.expected > most.device.expected ? one : most;

function at(
  { phase, stays, engine, formula }: Moment,
  training: DeviceEstimate,
  spread: Spread,
): DeviceEstimate {
  const rows = training.terms.filter(({ term }) => STAYING[stays].has(term));
  const held = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  const own = interval(held, spread);
  const device = { low: own.low + engine, expected: held + engine, high: own.high + engine };
  const isContext = ({ term }: Term): boolean => term === 'cuda context';
  const context = rows.find(isContext)?.bytes ?? 0;
  return {
    ...training,
    device,
    verdict: verdictOf(device, device.expected, training.usableBytes),
    peakPhase: phase,
    phases: [...training.phases, { phase, bytes: held - context }],
    terms: [
      ...rows.filter(row => !isContext(row)),
      { term: 'rollout engine', bytes: engine, formula, from: ['memoryShare'] },
      ...rows.filter(isContext),
    ],
  };
}
