import { dialectOfRun } from '../../dialects/find';
import type { DeviceEstimate, Estimate, PlacedOn } from '../../memory/estimate';
import { estimateRun } from '../../memory/estimateRun';
import type { RunSpec } from '../../spec/runSpec';
import type { DeviceMapSettings, Quantization } from '../../spec/values';
import type { RemedyContext } from '../remedy';
import { GIB, MIB } from '../../units';

/** Where a model's weights go. */
type MapKind = 'one GPU' | 'several GPUs' | 'offload';

/** A device map for this model on this target, proven by the estimate. */
export interface MapProposal {
  readonly kind: MapKind;
  /** `cuda:0`, `balanced`, `auto`: the value for `device_map`. */
  readonly map: string;
  /** GiB of weights that each device may hold; null: no limits are needed. */
  readonly maxMemory: Readonly<Record<string, number>> | null;
  /** Some weights are on the disk. */
  readonly usesDisk: boolean;
  /** Layers and bytes on each device. */
  readonly placed: readonly PlacedOn[];
  readonly devices: readonly DeviceEstimate[];
  /** Assumed tokens per row if the config does not state them. */
  readonly supposedTokens: number | null;
  readonly thresholds: Thresholds;
  /** If it is offloaded: the quantization with which one GPU would hold all of it. */
  readonly fewerBits: FewerBits | null;
}

interface FewerBits {
  readonly bits: 8 | 4;
  readonly bytes: number;
}

/** Memory sizes from which each strategy suits this model. */
interface Thresholds {
  /** Bytes of a GPU that holds everything. */
  readonly whole: number;
  /** Bytes of each of two GPUs that share the layers; null: unknown. */
  readonly ofTwo: number | null;
  /** What each GPU of a map needs in addition to its weights: context, activations, keys and values, spread. */
  readonly keptFree: number;
  /** Host RAM that float32 weights take without a GPU, in bytes; null: unknown. */
  readonly onCpu: number | null;
}

/** Assumed row length if nothing states it. */
const SUPPOSED_TOKENS = 2048;

const MADE_UP = { kind: 'user', setting: 'the device map' } as const;

/** Null if from_pretrained loads nothing for inference, or if the need is unknown. */
export function mapProposal(context: RemedyContext): MapProposal | null {
  const { run, target } = context;
  const task = run.quantities.task.value;
  const isLoaded = task === 'infer' || task === 'load';
  if (!isLoaded || target === null || dialectOfRun(run).details?.deviceMap === undefined) return null;
  const withTokens = { ...context, run: withLength(run) };
  const thresholds = thresholdsOf(withTokens);
  if (thresholds === null) return null;
  const found = mapOnOneGpu(withTokens) ?? mapOnSeveralGpus(withTokens) ?? offloaded(withTokens);
  if (found === null) return null;
  const supposedTokens = withTokens.run === run ? null : SUPPOSED_TOKENS;
  return {
    ...found,
    thresholds,
    supposedTokens,
    fewerBits: found.kind === 'offload' ? fewerBits(withTokens) : null,
  };
}

type Found = Omit<MapProposal, 'thresholds' | 'supposedTokens' | 'fewerBits'>;

/** A run that only loads, treated as one that generates. */
function withLength(run: RunSpec): RunSpec {
  if (run.quantities.task.value !== 'load') return run;
  const task = { value: 'infer', origin: MADE_UP };
  const seqLen = { value: SUPPOSED_TOKENS, origin: MADE_UP };
  return { ...run, quantities: { ...run.quantities, task, seqLen } };
}

/** The run on this number of GPUs, with these settings instead of its own. */
function estimateWith(
  { run, model, target, memory }: RemedyContext,
  count: number,
  map: DeviceMapSettings | null,
): Estimate | null {
  if (target === null) return null;
  const gpus = { value: count, origin: MADE_UP };
  const accelerator = { value: 'cuda', origin: MADE_UP };
  const quantities = { ...run.quantities, gpus, devices: gpus, accelerator };
  const deviceMap = { value: map, origin: MADE_UP };
  const mapped: RunSpec = { ...run, quantities, details: { ...run.details, deviceMap } };
  const result = estimateRun(mapped, model, { ...target, count }, { session: memory });
  return result.ok ? result.estimate : null;
}

const fits = ({ devices }: Estimate): boolean => devices.every(({ verdict }) => verdict === 'fits');

const isOnGpus = ({ placed = [] }: Estimate): boolean =>
  placed.every(({ device }) => typeof device === 'number');

function mapOnOneGpu(context: RemedyContext): Found | null {
  const whole = estimateWith(context, 1, null);
  if (!whole || !fits(whole)) return null;
  return {
    kind: 'one GPU',
    map: 'cuda:0',
    maxMemory: null,
    usesDisk: false,
    placed: [],
    devices: whole.devices,
  };
}

/** Quantized weights of bitsandbytes, most bits first. */
const QUANTIZED: readonly Quantization[] = [
  { bits: 8, method: 'bnb', type: 'int8', doubleQuant: null, computeDtype: null, storageDtype: null },
  { bits: 4, method: 'bnb', type: 'nf4', doubleQuant: false, computeDtype: null, storageDtype: null },
];

function fewerBits(context: RemedyContext): FewerBits | null {
  const { run } = context;
  if (run.quantities.quantization.value !== null || context.target?.gpu?.vendor === 'Apple') return null;
  for (const value of QUANTIZED) {
    const quantization = { value, origin: MADE_UP };
    const quantized = { ...run, quantities: { ...run.quantities, quantization } };
    const whole = estimateWith({ ...context, run: quantized }, 1, null);
    const bytes = whole?.devices[0]?.device.expected;
    if (whole && fits(whole) && bytes !== undefined) return { bits: value.bits === 8 ? 8 : 4, bytes };
  }
  return null;
}

/** Balanced over the fewest GPUs that hold all of it. */
function mapOnSeveralGpus(context: RemedyContext): Found | null {
  const most = gpusOf(context);
  for (let count = 2; count <= most; count++) {
    const found = filledTo(context, count, 'balanced', null);
    if (found && isOnGpus(found.estimate)) return foundMap('several GPUs', 'balanced', found);
  }
  return null;
}

/** Fills all GPUs; the rest goes to the host, then to the disk. */
function offloaded(context: RemedyContext): Found | null {
  const host = context.target?.hostMiB ?? null;
  const found = filledTo(context, gpusOf(context), 'auto', host === null ? Infinity : host * MIB * FILLED);
  return found && foundMap('offload', 'auto', found);
}

/** Other programs on the host need some, too (transformers keeps a tenth free). */
const FILLED = 0.9;

/** All available GPUs: `device_map: cuda:0` says what is used now, not what may be. */
const gpusOf = ({ run, target }: RemedyContext): number =>
  Math.max(run.quantities.gpus.value ?? 1, target?.count ?? 1);

interface Filled {
  readonly estimate: Estimate;
  readonly gib: number;
  readonly count: number;
}

/** The most whole GiB of weights per GPU that leave room for everything else. */
function filledTo(
  context: RemedyContext,
  count: number,
  strategy: DeviceMapSettings['strategy'],
  hostBytes: number | null,
): Filled | null {
  const usable = ((context.target?.usableMiB ?? 0) - (context.target?.busyMiB ?? 0)) * MIB;
  for (let gib = Math.floor(usable / GIB); gib > 0; gib--) {
    const rooms = Array.from({ length: count }, (_, device) => ({ device, bytes: gib * GIB }));
    const host = hostBytes === null ? [] : [{ device: 'cpu' as const, bytes: hostBytes }];
    const estimate = estimateWith(context, count, { strategy, maxMemory: [...rooms, ...host] });
    if (estimate && fits(estimate)) return { estimate, gib, count };
  }
  return null;
}

function foundMap(kind: MapKind, map: string, { estimate, gib, count }: Filled): Found {
  const placed = estimate.placed ?? [];
  const gpus = Array.from({ length: count }, (_, device) => [String(device), gib] as const);
  const onHost = placed.find(({ device }) => device === 'cpu')?.bytes ?? 0;
  const host = onHost > 0 ? [['cpu', Math.ceil(onHost / GIB) + 1] as const] : [];
  const usesDisk = placed.some(({ device }) => device === 'disk');
  const maxMemory = Object.fromEntries([...gpus, ...host]);
  return { kind, map, maxMemory, usesDisk, placed, devices: estimate.devices };
}

/** More than any model needs. */
const ROOM = 2 ** 50;

function thresholdsOf(context: RemedyContext): Thresholds | null {
  const { target, model } = context;
  const whole = estimateWith(context, 1, null)?.devices[0];
  if (!whole || target === null) return null;
  const rooms = [0, 1].map(device => ({ device, bytes: ROOM }));
  const ofTwo = estimateWith(context, 2, { strategy: 'balanced', maxMemory: rooms })?.devices ?? [];
  // The memory that the driver reserves on each card comes on top.
  const kept = (target.totalMiB - target.usableMiB) * MIB;
  const weights = whole.terms.find(({ term }) => term === 'weights')?.bytes ?? 0;
  const parameters = model?.parameters?.total ?? model?.publishedTotal ?? null;
  return {
    whole: whole.device.high + kept,
    ofTwo: ofTwo.length === 2 ? Math.max(...ofTwo.map(({ device }) => device.high)) + kept : null,
    keptFree: whole.device.high + kept - weights,
    onCpu: parameters === null ? null : parameters * 4,
  };
}
