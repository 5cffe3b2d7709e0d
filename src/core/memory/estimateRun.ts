import { calibration } from './calibration';
import type { Calibration, GuessName } from './calibration';
import type { Target } from '../hardware/gpu';
import type { ModelFacts } from '../models/model';
import type { RunSpec } from '../spec/runSpec';
import { contextBytes, libraryWorkspaces } from './context';
import { verdictOf } from './estimate';
import type { Bytes, DeviceEstimate, EstimateResult, GpuEstimate, ServedRoom } from './estimate';
import { undecidedByLength } from './lengthDoubt';
import { describedRun } from './described/estimate';
import { ggmlRun, isGgml } from './ggml/estimate';
import { idle } from './playing';
import { evaluationRun } from './evaluation';
import { hostOf } from './machine/estimate';
import { estimateOnMachine, runsOnMachine } from './machine/onMachine';
import { interval, spreadsOf } from './interval';
import { MemorySession } from './session';
import { isLive, live, typical, uneven, WHOLE } from './reserved';
import type { Extent, Replayed } from './reserved';
import { setUp } from './setup/setUp';
import type { Injected, Plan } from './setup/setUp';
import type { MemoryRun } from './run';
import { rankWorkOf } from './rankWork';
import { termsOf } from './sum';
import { outsideTorch, servedInterval, servedOn, servedVerdict, withCache } from './served';
import type { Served } from './served';
import { ADAPTERS, GRADIENTS, STATES, WEIGHTS, KV_CACHE } from './terms';
import { doubtOf } from './pipeline';
import { gpusOf, phasesOn } from './placement/share';
import type { Placed } from './placement/module';
import { rolloutEngineRun } from './frameworks/rolloutEngine';
import { engineBeside, engineWhileTraining, whileWriting } from './whileWriting';
import type { Played, PlayedPhase } from './played';
import { MIB } from '../units';
import type { Peak } from './ledger';
import { weightFormat } from './quantization';
import { UNCUT } from './words';
import { bytesPer } from './tensor';
import { phrase } from '../text/say';

/** Terms that move with a layer. The rest (hidden states, logits, temporaries) exists on each device in turn. */
const OF_LAYERS: ReadonlySet<number> = new Set([WEIGHTS, ADAPTERS, KV_CACHE]);

/**
 * Phases on one of the devices among which a model's layers are balanced (accelerate, utils/modeling.py,
 * get_balanced_memory), or that each hold a slice of every layer (tensor parallelism).
 */
export function phasesOnOneOf(run: MemoryRun, phases: readonly PlayedPhase[]): readonly PlayedPhase[] {
  if (run.devices.spread === 1) return phases;
  const whole = run.behavior.spreadsBlocks ? endsOf(run) : 0;
  return phases.map(({ phase, peak }) => ({ phase, peak: shareOf(run.devices.spread, peak, whole) }));
}

/** `whole`: the part of the weights that every device holds. */
function shareOf(devices: number, { terms }: Peak, whole: number): Peak {
  const own = terms.map((bytes, term) => {
    const shared = term === WEIGHTS ? bytes - whole : bytes;
    return OF_LAYERS.has(term) ? bytes - shared + shared / devices : bytes;
  });
  return { bytes: own.reduce((sum, bytes) => sum + bytes, 0), terms: own };
}

/** Bytes of the embedding and of the head, which may be quantized. */
function endsOf({ model, numbers: { weightDtype, quantization }, behavior }: MemoryRun): number {
  const { vocabSize, hiddenSize } = model;
  const table = vocabSize * hiddenSize * bytesPer(weightDtype);
  if (quantization === null || !behavior.quantizesHead) return 2 * table;
  return weightFormat(quantization)
    .parts(vocabSize, hiddenSize)
    .reduce((sum, part) => sum + part, table);
}

/** The extent of an estimate, and measured facts about its run that no config states. */
export interface EstimateOptions extends Injected {
  readonly extent?: Extent;
  /** Shared between estimates; absent: this one is computed separately. */
  readonly session?: MemorySession | undefined;
  /** Host RAM of the machine that the run starts on, in MiB, for CPU runs; absent: unknown. */
  readonly hostMiB?: number | undefined;
}

/** The memory of one run on a device of the target, or the missing facts. A pure function. */
export function estimateRun(
  run: RunSpec,
  model: ModelFacts | null,
  target: Target | null,
  { extent = WHOLE, session = new MemorySession(), hostMiB, ...injected }: EstimateOptions = {},
): EstimateResult {
  if (model?.described) return describedRun(run, model.described, target);
  if (isGgml(run)) return ggmlRun(run, model, target);
  const found = setUp(run, model, target, injected);
  if (runsOnMachine(run, target)) {
    return estimateOnMachine(run, found, target, { session, hostMiB: hostMiB ?? null });
  }
  if (!found.ok) return found;
  const engineRoom = rolloutRoom(run, model, target, session);
  const plan = { ...found.plan, ...(engineRoom !== null && { engineRoom }) };
  const estimate = session.estimate(plan, target, extent, () => estimateOf(plan, target, extent, session));
  const host = extent.reserving === 'replayed' ? hostOf(run, found.plan.memoryRun, target) : null;
  return { ok: true, estimate: { ...doubted(run, plan, estimate), host } };
}

/** The start of the engine next to training with this share, as if it served the model alone; null: none, or it can't be told. */
export function rolloutRoom(
  run: RunSpec,
  model: ModelFacts | null,
  target: Target | null,
  session: MemorySession | undefined,
  share?: number,
): ServedRoom | null {
  const engine = rolloutEngineRun(run, share);
  if (engine === null || model === null || target === null) return null;
  const result = estimateRun(engine, model, target, { session });
  return result.ok ? (result.estimate.devices.find(({ served }) => served)?.served ?? null) : null;
}

/** The estimate with the verdict and the width that its guesses leave. */
function doubted(
  run: RunSpec,
  { undecided: isOpen, guessed, ...plan }: Plan,
  estimate: GpuEstimate,
): GpuEstimate {
  const ofLength = undecidedByLength(run, plan, estimate);
  const judged = isOpen || ofLength ? estimate.devices.map(undecided) : estimate.devices;
  const devices = guessed.length > 0 ? judged.map(device => widened(device, guessed)) : judged;
  return {
    ...estimate,
    devices,
    ...(guessed.length > 0 && { guesses: guessed.length }),
    ...(ofLength && {
      assumptions: [...estimate.assumptions, phrase`rows as long as the default allows: ${UNCUT}`],
      doubts: [...(estimate.doubts ?? []), 'uncut' as const],
    }),
  };
}

const undecided = (device: DeviceEstimate): DeviceEstimate => ({ ...device, verdict: 'unknown' });

/** As wide as the least certain of the guesses: several together are no further off (docs/accuracy.md). */
function widened(device: DeviceEstimate, guesses: readonly GuessName[]): DeviceEstimate {
  const spreads = guesses.map(name => calibration.guesses[name].value);
  const below = Math.max(...spreads.map(spread => spread.below));
  const above = Math.max(...spreads.map(spread => spread.above));
  const wider = ({ low, expected, high }: Bytes): Bytes => ({
    low: Math.min(low, expected * (1 - below)),
    expected,
    high: Math.max(high, expected * (1 + above)),
  });
  return {
    ...device,
    device: wider(device.device),
    reserved: wider(device.reserved),
    allocated: wider(device.allocated),
  };
}

function estimateOf(plan: Plan, target: Target | null, extent: Extent, session: MemorySession): GpuEstimate {
  const workspaces = workspacesOf(plan, target);
  const playings = session.playing(plan, workspaces, extent);
  const devices = playings.flatMap(({ memoryRun, played, replay }) => {
    if (played === null) return [idle(target)];
    const own = { ...plan, memoryRun, measured: session.measured };
    const { placement } = memoryRun.devices;
    if (!placement) return [deviceEstimate(own, played, target, replay)];
    return gpusOf(placement).map(placed => deviceEstimate(own, played, target, replay, placed));
  });
  return {
    devices: devices.toSorted((a, b) => b.device.expected - a.device.expected),
    ...placedIn(plan.memoryRun),
    work: playings.flatMap(({ memoryRun, played }) => (played && rankWorkOf(memoryRun, played)) ?? []),
    notCounted: [
      ...(mayEvaluate(plan.memoryRun) ? [phrase`evaluation`] : []),
      ...(hasUncountedGraphs(plan.memoryRun) ? ['CUDA graphs, which come on top of the engine’s share'] : []),
      ...(plan.memoryRun.training.lora && !plan.memoryRun.training.merges
        ? [phrase`merging the adapters`]
        : []),
      ...(target === null && engineBeside(plan.memoryRun) !== null
        ? ['the share of the GPU that the engine for completions takes']
        : []),
      ...(plan.memoryRun.training.optimizer?.note ? [plan.memoryRun.training.optimizer.note] : []),
    ],
    assumptions: plan.assumptions,
    ...(plan.doubts.length > 0 && { doubts: plan.doubts }),
  };
}

/** The part of a placement that users see. */
function placedIn({ devices: { placement } }: MemoryRun): Pick<GpuEstimate, 'placed'> {
  if (!placement) return {};
  return {
    placed: placement.devices.map(({ device, modules, layers, bytes }) => ({
      device,
      modules,
      layers,
      bytes,
    })),
  };
}

/** True for an engine whose startup was not read. */
const hasUncountedGraphs = ({ generation: { serving } }: MemoryRun): boolean =>
  serving !== null && serving.engine.startUp === undefined;

/** True if the config does not say whether training includes evaluation. */
const mayEvaluate = ({ task, evaluation: { evaluated } }: MemoryRun): boolean =>
  task === 'train' && evaluated.kind === 'unknown';

/** A plan with the measured constants for its amounts. */
interface MeasuredPlan extends Plan {
  readonly measured: Calibration;
}

function deviceEstimate(
  plan: MeasuredPlan,
  played: Played,
  target: Target | null,
  replay: Replayed | null,
  placed: Placed | null = null,
): DeviceEstimate {
  const { memoryRun, measured } = plan;
  const workspaces = workspacesOf(plan, target);
  const workspace = workspaces.reduce((sum, bytes) => sum + bytes, 0);
  const own = shareOnDevice(memoryRun, placed, played.phases);
  const served = reservation(memoryRun, own, target, workspace);
  const phases = served ? withCache(served) : own;
  const outside = outsideTorch(served);
  const whole = highest(played.phases).peak.bytes;
  const steady = highest(phases);
  const amounts = amountsOf(plan, target, {
    replay,
    allocated: steady.peak.bytes + workspace,
    whole: whole + workspace,
    part: placed ? steady.peak.bytes / whole : 1 / memoryRun.devices.spread,
    moving: movingOf(steady),
    outside: outside.bytes,
    lessContext: served?.lessContextBytes ?? 0,
  });
  const { allocated, reserved, beyond, usable } = amounts;
  const context = amounts.context + amounts.engine + outside.bytes;
  const spreads = spreadsOf(memoryRun, replay !== null, measured);
  const reach = reachOf(memoryRun, played);
  const spread = reach(interval(reserved + beyond + context, spreads.device), allocated + context);
  const device = servedInterval(served, spread);
  const training: DeviceEstimate = {
    name: nameOf(memoryRun, target, placed),
    capacityBytes: target && target.totalMiB * MIB,
    usableBytes: usable,
    device,
    reserved: reach(interval(reserved, spreads.reserved)),
    allocated: reach(interval(allocated, spreads.allocated)),
    ...(isLive(memoryRun) && { isLive: true }),
    ...(amounts.released > 0 && { releasedBytes: amounts.released }),
    verdict: servedVerdict(served, verdictOf(device, allocated + context, usable)),
    peakPhase: steady.phase,
    phases: phases.map(({ phase, peak }) => ({ phase, bytes: peak.bytes + workspace })),
    terms: termsOf(
      steady.phase === 'evaluation' ? evaluationRun(memoryRun) : memoryRun,
      played,
      steady.peak,
      {
        libraryWorkspace: workspace,
        slack: reserved + beyond - steady.peak.bytes - workspace,
        context: amounts.context + outside.kernels,
        engine: amounts.engine,
        communication: outside.communication,
        graphs: outside.graphs,
      },
    ),
    ...(served && { served: served.room }),
  };
  return whileWriting(memoryRun, target, training, { spread: spreads.device, room: plan.engineRoom ?? null });
}

/**
 * Widens the intervals of a pipeline. What a decoder's growing maps leave unused in the allocator is not measured: it may
 * be nothing. Upward by what published runs had more.
 */
function reachOf(run: MemoryRun, { load }: Played): (spread: Bytes, least?: number) => Bytes {
  if (!run.pipeline) return spread => spread;
  const doubt = doubtOf(run, load);
  return (spread, least = spread.low) => ({
    ...spread,
    low: Math.min(spread.low, least),
    high: spread.high + doubt,
  });
}

/** The part of a run on the estimated device. */
function shareOnDevice(
  run: MemoryRun,
  placed: Placed | null,
  phases: readonly PlayedPhase[],
): readonly PlayedPhase[] {
  return run.devices.placement && placed
    ? phasesOn(run, run.devices.placement, placed, phases)
    : phasesOnOneOf(run, phases);
}

/** Names the rank of a pipeline, and the GPU among several that layers are distributed over. */
function nameOf(
  { ranks: { stage }, devices: { placement } }: MemoryRun,
  target: Target | null,
  placed: Placed | null,
): string {
  const name = target?.name ?? 'per GPU';
  if (placed && placement && placement.devices.length > 1) {
    return `${name}, GPU ${placed.device}`;
  }
  return stage ? `${name}, ${stage.place} of ${stage.of} pipeline stages` : name;
}

/** Memory that an engine adds to its model's pass; null without an engine. */
function reservation(
  run: MemoryRun,
  phases: readonly PlayedPhase[],
  target: Target | null,
  workspaceBytes: number,
): Served | null {
  if (run.generation.serving === null || target === null) return null;
  return servedOn(run, run.generation.serving, phases, { target, workspaceBytes });
}

function workspacesOf({ memoryRun }: Plan, target: Target | null): readonly number[] {
  const { workspaces } = memoryRun.behavior;
  const threads = { train: workspaces, infer: Math.min(workspaces, 1), load: 0 };
  return libraryWorkspaces(target, threads[memoryRun.task]);
}

interface Amounts {
  readonly allocated: number;
  readonly reserved: number;
  /** Memory that the allocator would keep on a larger device. */
  readonly released: number;
  /** Additional memory of a live job. */
  readonly beyond: number;
  readonly context: number;
  /** An engine next to training. */
  readonly engine: number;
  readonly usable: number | null;
}

interface Known {
  readonly replay: Replayed | null;
  readonly allocated: number;
  /** Allocated bytes if one device held everything. */
  readonly whole: number;
  /** This device's part of the whole. */
  readonly part: number;
  /** The part that belongs to a step: not weights, gradients or states. */
  readonly moving: number;
  /** What a server takes outside torch's counters. */
  readonly outside: number;
  readonly lessContext: number;
}

/** Image networks have convolutions, which load cuDNN; a network of the project's own, if its kernels have more than two sides. */
function hasConvolutions({ batch: { image }, model: { network } }: MemoryRun): boolean {
  if (network === undefined) return image !== null;
  return network.parts.some(({ trained, frozen }) =>
    [...trained, ...frozen].some(([first = 0, ...sides]) => first > 1 && sides.length > 1),
  );
}

/** On a full device the allocator frees cached segments before it fails: it reserves at most what there is. */
function amountsOf(
  { memoryRun, measured, engineRoom }: MeasuredPlan,
  target: Target | null,
  { replay, allocated, whole, part, moving, outside, lessContext }: Known,
): Amounts {
  const { expandableSegments } = memoryRun.behavior;
  const { reserved: filled, rests } = replay ?? { reserved: typical(memoryRun, whole, measured), rests: 0 };
  const even = allocated + (filled - whole) * part;
  const counted = allocated + (memoryRun.behavior.countsRests ? rests * part : 0);
  const wanted = memoryRun.batch.uneven && !expandableSegments ? uneven(even, moving, measured) : even;
  const convolves = memoryRun.task === 'train' && hasConvolutions(memoryRun);
  const context = contextBytes(target, memoryRun.ranks.replicas, convolves, measured) - lessContext;
  const engine = engineWhileTraining(memoryRun, target, engineRoom ?? null);
  const usable = target && (target.usableMiB - target.busyMiB) * MIB;
  const room = usable === null ? Infinity : usable - context - engine - outside;
  const reserved = Math.max(counted, Math.min(wanted, room));
  return {
    released: Math.max(0, wanted - reserved),
    allocated: counted,
    reserved,
    beyond: live(memoryRun, reserved, room, measured),
    context,
    engine,
    usable,
  };
}

const STAYING = [WEIGHTS, ADAPTERS, GRADIENTS, STATES];

const movingOf = ({ peak }: PlayedPhase): number =>
  STAYING.reduce((rest, term) => rest - (peak.terms[term] ?? 0), peak.bytes);

/** The phase with the most allocated memory. */
function highest(phases: readonly PlayedPhase[]): PlayedPhase {
  return phases.reduce((most, phase) => (phase.peak.bytes > most.peak.bytes ? phase : most));
}
