import type { Architecture } from './architecture';
import { Graph } from './autograd';
import { evaluation } from './evaluation';
import { encodeOtherModels, placeAverage, placeOtherModels } from './otherModels';
import { cacheOf, generation, rolledOut } from './generation';
import { ModelBuilder } from './builder';
import { placeParts, playPipeline } from './pipeline';
import { statesOfOthers } from './frozen/freezing';
import type { Ledger, Peak } from './ledger';
import type { ParameterGroup } from './optimizer';
import { backward, forwards, referenceOf, trainedModels } from './modelPasses';
import type { Contrast, MemoryRun } from './run';
import type { Maybe } from '../spec/maybe';
import { Tape } from './tape';
import type { Recording } from './tape';
import type { Marks, Played, PlayedPhase } from './played';
import { bytesPer } from './tensor';
import type { Tensor, Element } from './tensor';
import { COMMUNICATION, STATES, TEMPORARIES } from './terms';
import type { Work } from './meter';

/**
 * Memory for merging LoRA adapters into their base, layer by layer, in addition to both: the product of the two
 * matrices and its scaled copy in their dtype; or the scaled product and its copy in the base's dtype (PEFT 0.21,
 * tuners/lora/layer.py, get_delta_weight and merge). A quantized base is first dequantized, cast, added to, and
 * quantized again on the host (tuners/lora/bnb.py, merge).
 */
function bytesOfMerging(run: MemoryRun, groups: readonly ParameterGroup[]): number {
  const { lora } = run.training;
  const { weightDtype, quantization } = run.numbers;
  if (lora === null || lora.method) return 0;
  return largestProduct(groups) * bytesOfElement(lora.dtype, weightDtype, quantization !== null);
}

export function bytesOfElement(adapters: Element, base: Element, isQuantized: boolean): number {
  const delta = bytesPer(adapters);
  if (isQuantized) return bytesPer(base) + (adapters === base ? 0 : delta) + delta + delta;
  return Math.max(2 * delta, delta + (adapters === base ? 0 : bytesPer(base)));
}

/** Elements of the largest adapted weight: rows of the second matrix by columns of the first. */
function largestProduct(groups: readonly ParameterGroup[]): number {
  let largest = 0;
  for (const { parameters } of groups) {
    for (const [i, { shape }] of parameters.entries()) {
      const [first, columns] = parameters[i - 1]?.shape ?? [];
      const [rows = 0, rank] = shape;
      if (rank !== undefined && rank === first) largest = Math.max(largest, rows * (columns ?? 0));
    }
  }
  return largest;
}

/** The optimizer consumes gradients as they arrive: none is left for a later micro-batch. */
const takesGradients = ({ training: { optimizer } }: MemoryRun): boolean =>
  optimizer?.consumesGradients === true;

/** A pass starts with the gradients of an earlier one. */
const findsGradients = ({
  training: { gradAccum },
  behavior,
  task,
  batch: { contrast },
}: MemoryRun): boolean =>
  gradAccum > 1 || cachesEmbeddings(contrast) || (behavior.keepsGradients && task === 'train');

/**
 * Embeddings are computed without a graph first; each part of the batch is then encoded again, and adds to the
 * gradients.
 */
const cachesEmbeddings = (contrast: Maybe<Contrast>): boolean =>
  contrast.kind === 'known' && contrast.value.cached !== null;

/** True if a pass adds to existing gradients. */
const addsGradients = (run: MemoryRun): boolean => findsGradients(run) && !takesGradients(run);

/** Gradients of a whole model are permanent. */
const keepsGradients = (run: MemoryRun): boolean => addsGradients(run) && run.ranks.sharding === null;

/** Sets the tape's flags for a run. */
function prepare(tape: Tape, { behavior, batch: { image } }: MemoryRun): void {
  tape.compiled = behavior.compiles;
  tape.reluKeepsInput = behavior.reluKeepsInput;
  tape.softmaxKeepsInput = behavior.softmaxKeepsInput;
  tape.usesCudnn = image !== null && !behavior.madeOfConfig;
}

/**
 * Runs one step of a run symbolically. Once a training pass holds more than `enough` bytes, the remaining phases
 * are skipped.
 */
export function play(
  architecture: Architecture,
  run: MemoryRun,
  tape = new Tape(),
  enough = Infinity,
): Played {
  const { ledger } = tape;
  prepare(tape, run);
  const builder = new ModelBuilder(tape, run);
  placeOtherModels(ledger, builder.inventory, run);
  placeParts(ledger, builder.inventory, run);
  const trained = trainedModels(architecture, run, builder);
  placeAverage(ledger, builder.inventory, run);
  const models = { trained, reference: referenceOf(architecture, run, tape, trained) };
  builder.connect();
  const load = ledger.takePeak();
  // A later micro-batch adds to the gradients of the first; shards are made from them once per step.
  const consumes = takesGradients(run);
  const adds = addsGradients(run);
  if (adds && run.ranks.sharding === null) builder.makeGradients();
  const loaded = markOf(tape);
  if (adds && run.ranks.sharding?.kind === 'fsdp') builder.makeGradients();
  if (run.task === 'load') return onlyLoaded(tape, run, builder, load);
  if (run.task === 'train') tape.graph = new Graph(tape, consumes, run.behavior.keepsOutput);
  tape.cache = cacheOf(run);
  ledger.meter.take();
  encodeOtherModels(tape, run);
  builder.begin();
  const made = forwards(tape, run, models);
  const kept = ledger.live;
  const forward = ledger.takePeak();
  const work = ledger.meter.take();
  const found = { load, kept, trainable: builder.trainable(), inventory: builder.inventory };
  const { graph } = tape;
  if (graph !== null) {
    const stepped = step(
      architecture,
      run,
      { tape, graph, builder },
      { ...found, ...made, forward, work, loaded, enough },
    );
    return { ...found, ...stepped };
  }
  const phases: PlayedPhase[] = [
    { phase: 'load', peak: load },
    { phase: 'forward', peak: forward },
  ];
  if (run.pipeline) {
    tape.release(made.output);
    phases.push(...playPipeline(tape, run));
  }
  if (run.generation.generated > 0) {
    phases.push({ phase: 'generation', peak: generation(architecture, run, tape, made.output) });
  }
  builder.finish();
  return { ...found, phases, marks: marksFrom(tape, loaded, []), work: { forward: work, backward: null } };
}

/** The state of a training step after its first pass. */
interface Begun {
  readonly load: Peak;
  readonly forward: Peak;
  readonly work: Work;
  readonly output: Tensor;
  readonly labels: readonly Tensor[];
  readonly trainable: readonly ParameterGroup[];
  /** The end of loading. */
  readonly loaded: number;
  readonly enough: number;
}

/** The objects that a step is played on. */
interface Instruments {
  readonly tape: Tape;
  readonly graph: Recording;
  readonly builder: ModelBuilder;
}

/** A training step from its first backward pass, and the work between two steps. */
function step(
  architecture: Architecture,
  run: MemoryRun,
  { tape, graph, builder }: Instruments,
  { load, forward, work, output, labels, trainable, loaded, enough }: Begun,
): Pick<Played, 'phases' | 'marks' | 'work'> {
  const begun: PlayedPhase[] = [
    { phase: 'load', peak: load },
    { phase: 'first forward', peak: forward },
  ];
  if (forward.bytes > enough) return { phases: begun, marks: marksFrom(tape, loaded, []), work: null };
  builder.beginBackward();
  backward(tape, graph, output);
  builder.finish();
  const passed = markOf(tape);
  const passes = { forward: work, backward: tape.ledger.meter.take() };
  const back = tape.ledger.takePeak();
  begun.push({ phase: 'first backward', peak: back });
  if (back.bytes > enough) return { phases: begun, marks: marksFrom(tape, loaded, [passed]), work: passes };
  const held = heldOver(tape, graph);
  const updated = updates(tape, run, { forward, backward: back, held }, builder, trainable);
  for (const tensor of labels) tape.release(tensor);
  if (!keepsGradients(run)) builder.dropGradients();
  const marks = marksFrom(tape, loaded, [passed, ...updated.marks]);
  const others = playBetweenSteps(architecture, run, tape, builder);
  return {
    phases: [...begun, ...updated.phases, ...others],
    marks: { ...marks, after: markOf(tape) },
    work: passes,
  };
}

/** What a step's graph holds while the next model runs. */
function heldOver({ ledger }: Tape, graph: Recording): Float64Array {
  const before = ledger.terms.slice();
  graph.end();
  return before.map((bytes, term) => bytes - (ledger.terms[term] ?? 0));
}

/** Work between two steps, without gradients: an evaluation batch, a checkpoint. */
function playBetweenSteps(
  architecture: Architecture,
  run: MemoryRun,
  tape: Tape,
  builder: ModelBuilder,
): PlayedPhase[] {
  const { ledger } = tape;
  builder.dropGradients();
  ledger.takePeak();
  ledger.release(ledger.allocate(builder.gatheredForSaving(), COMMUNICATION));
  const save: PlayedPhase = { phase: 'save', peak: ledger.takePeak() };
  const others = [...rollouts(run, tape), save, ...playEnds(run, tape, builder)];
  if (run.evaluation.evaluated.kind !== 'known') return others;
  return [{ phase: 'evaluation', peak: evaluation(architecture, run, tape) }, ...others];
}

/** Work before the first step and after the last. */
function playEnds(run: MemoryRun, { ledger }: Tape, builder: ModelBuilder): PlayedPhase[] {
  const resumed: PlayedPhase[] = run.training.resumes ? [{ phase: 'resume', peak: ledger.takePeak() }] : [];
  if (run.training.merges !== 'gpu') return resumed;
  ledger.release(ledger.allocate(bytesOfMerging(run, builder.trainable()), TEMPORARIES));
  return [...resumed, { phase: 'merge', peak: ledger.takePeak() }];
}

function rollouts(run: MemoryRun, { ledger }: Tape): PlayedPhase[] {
  const { rollout } = run.generation;
  return rollout?.by === 'model' ? [{ phase: 'generation', peak: rolledOut(run, rollout, ledger) }] : [];
}

/** A run that only loads. */
function onlyLoaded(tape: Tape, run: MemoryRun, builder: ModelBuilder, load: Peak): Played {
  const { inventory } = builder;
  const phases: PlayedPhase[] = [{ phase: 'load', peak: load }, ...playEnds(run, tape, builder)];
  return {
    load,
    phases,
    kept: 0,
    trainable: [],
    inventory,
    marks: marksFrom(tape, markOf(tape), []),
    work: null,
  };
}

const markOf = ({ ledger }: Tape): number => ledger.journal?.length ?? 0;

function marksFrom(tape: Tape, load: number, others: readonly number[]): Marks {
  const end = markOf(tape);
  const [backward = end, firstOptimizerStep = end, optimizerStep = end] = others;
  return { load, backward, firstOptimizerStep, optimizerStep, end, after: end };
}

/** Everything after the first passes. The steady step is the first one plus the optimizer's states. */
function updates(
  tape: Tape,
  run: MemoryRun,
  first: { readonly forward: Peak; readonly backward: Peak; readonly held: Float64Array },
  builder: ModelBuilder,
  trainable: readonly ParameterGroup[],
): { phases: PlayedPhase[]; marks: number[] } {
  const { ledger } = tape;
  const without = new Float64Array(ledger.terms);
  const updated: PlayedPhase[] = [];
  const marks: number[] = [];
  const used = run.training.optimizer?.consumesGradients ? trainable : withGradients(trainable);
  for (const made of [false, true]) {
    tape.during(TEMPORARIES, () =>
      builder.step(used, groups => run.training.optimizer?.step(tape, groups, !made)),
    );
    updated.push({ phase: made ? 'optimizer step' : 'first optimizer step', peak: ledger.takePeak() });
    marks.push(markOf(tape));
    if (!made) placeStates(ledger, run, builder);
  }
  const states = ledger.terms.map((bytes, term) => bytes - (without[term] ?? 0));
  const steady: PlayedPhase[] = [
    { phase: 'forward', peak: plus(first.forward, plusEach(states, first.held)) },
    { phase: 'backward', peak: plus(first.backward, states) },
  ];
  return { phases: [...updated.slice(0, 1), ...steady, ...updated.slice(1)], marks };
}

function placeStates(ledger: Ledger, run: MemoryRun, builder: ModelBuilder): void {
  const bytes = statesOfOthers(run, builder.groups);
  if (bytes > 0) ledger.place(bytes, STATES, 1);
}

/** Parameters that the loss does not depend on have no gradient, and the optimizer skips them. */
function withGradients(groups: readonly ParameterGroup[]): readonly ParameterGroup[] {
  return groups.map(({ times, parameters }) => ({
    times,
    parameters: parameters.filter(({ grad }) => grad !== null),
  }));
}

function plusEach(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((bytes, term) => bytes + (b[term] ?? 0));
}

function plus(peak: Peak, more: Float64Array): Peak {
  const terms = plusEach(peak.terms, more);
  return { bytes: terms.reduce((sum, bytes) => sum + bytes, 0), terms };
}
