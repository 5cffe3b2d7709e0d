import type { Metric } from '../models/terms';
import { calibration } from './calibration';
import type { Calibration, Spread, SpreadName } from './calibration';
import type { Bytes } from './estimate';
import type { MemoryRun } from './run';

/** The spread by metric. */
interface Spreads {
  readonly allocated: Spread;
  readonly reserved: Spread;
  readonly device: Spread;
}

export function interval(expected: number, { below, above }: Spread): Bytes {
  return { low: expected * (1 - below), expected, high: expected * (1 + above) };
}

type Applies = (run: MemoryRun) => boolean;

/** Uncertainties of allocated memory, with the runs they apply to. */
const DOUBTS = {
  always: () => true,
  supposedModel: ({ model }) => model.extra['supposed'] === true,
  // An engine reserves a share of the GPU in every release.
  releaseUnstated: ({ behavior, generation: { serving } }) => !behavior.releaseStated && serving === null,
  generation: ({ task, generation: { serving } }) => task !== 'train' && serving === null,
  frameworkUnknown: ({ task, behavior }) => task === 'train' && !behavior.frameworkKnown,
  padded: ({ task, batch: { atMost } }) => task === 'train' && atMost === true,
  training: ({ task }) => task === 'train',
  ownModelCode: ({ behavior }) => behavior.ownModelCode,
  compiled: ({ behavior }) => behavior.compiles,
  oldQuantizedInputs: ({ task, numbers: { quantization }, behavior }) =>
    task === 'train' && quantization !== null && behavior.keepsQuantizedInputs,
  severalDevices: ({ ranks: { replicas, sharding }, devices: { spread } }) =>
    replicas > 1 || spread > 1 || sharding !== null,
  gptqTraining: ({ task, numbers: { quantization } }) =>
    task === 'train' && quantization?.startsWith('gptq') === true,
  comparingLoss: ({ behavior }) =>
    ['log-probabilities', 'policy', 'distillation'].includes(behavior.loss.kind),
  images: ({ batch: { image } }) => image !== null,
  nearestModel: ({ isNearest }) => isNearest === true,
  contrastive: ({ task, head }) => task === 'train' && head === 'base',
  int8: ({ numbers: { quantization } }) => quantization === 'int8',
  zero: ({ ranks: { sharding } }) => sharding?.kind === 'zero',
} as const satisfies Readonly<Partial<Record<SpreadName, Applies>>>;

const DOUBT_ENTRIES = Object.entries(DOUBTS) as readonly (readonly [keyof typeof DOUBTS, Applies])[];

/** The measured uncertainties of a run: those of each metric add to those of the metric before it. */
export function uncertaintiesOf(
  run: MemoryRun,
  replayed: boolean,
): Readonly<Record<Metric, readonly SpreadName[]>> {
  return {
    allocated: DOUBT_ENTRIES.flatMap(([name, applies]) => (applies(run) ? [name] : [])),
    reserved: [
      allocatorDoubt(run, replayed),
      ...(run.batch.uneven ? (['uneven'] as const) : []),
      ...(run.ranks.sharding ? (['streams'] as const) : []),
    ],
    device: run.task === 'train' ? ['context', 'live'] : ['context'],
  };
}

function allocatorDoubt({ task }: MemoryRun, allocatorUncertainty: boolean): SpreadName {
  if (task === 'train') return allocatorUncertainty ? 'replayed' : 'typical';
  return allocatorUncertainty ? 'replayedInference' : 'typicalInference';
}

/** Independent uncertainties add up by their squares. */
export function spreadsOf(
  run: MemoryRun,
  replayed: boolean,
  { spreads }: Calibration = calibration,
): Spreads {
  const uncertainties = uncertaintiesOf(run, replayed);
  const valuesOf = (metric: Metric): readonly Spread[] =>
    uncertainties[metric].map(name => spreads[name].value);
  const allocated = together(valuesOf('allocated'));
  const reserved = together([allocated, ...valuesOf('reserved')]);
  return { allocated, reserved, device: together([reserved, ...valuesOf('device')]) };
}

function together(spreads: readonly Spread[]): Spread {
  return {
    below: Math.hypot(...spreads.map(({ below }) => below)),
    above: Math.hypot(...spreads.map(({ above }) => above)),
  };
}
