import type { Architecture, Batch, Model } from './architecture';
import type { Phase } from './estimate';
import { Graph } from './autograd';
import { ModelBuilder } from './builder';
import type { Inventory } from './inventory';
import type { Peak } from './ledger';
import type { ParameterGroup } from './optimizer';
import { add } from './ops/pointwise';
import type { MemoryRun } from './run';
import { Tape } from './tape';
import { bytesPer } from './tensor';
import type { Tensor } from './tensor';
import { INPUTS, KV_CACHE, LOGITS, TEMPORARIES, TERMS } from './terms';
import { autocast } from './transforms/autocast';

/** Peaks by phase: of the first step, and of the steady ones, in which optimizer states exist. */
export interface Played {
  readonly load: Peak;
  readonly phases: readonly PlayedPhase[];
  /** Alive when backward begins. */
  readonly kept: number;
  readonly trainable: readonly ParameterGroup[];
  readonly inventory: Inventory;
}

export interface PlayedPhase {
  readonly phase: Phase;
  readonly peak: Peak;
}

/** Runs one step of a run symbolically. */
export function play(architecture: Architecture, run: MemoryRun, tape = new Tape()): Played {
  const builder = new ModelBuilder(tape, run);
  const models = Array.from({ length: run.encoders }, () => architecture.build(builder, run));
  if (run.replicas > 1) builder.reserveBuckets();
  const load = tape.ledger.takePeak();
  // A later micro-batch finds the gradients of the first, to which it adds.
  if (run.gradAccum > 1) builder.makeGradients();
  if (run.task === 'train') tape.graph = new Graph(tape);
  const output = tape.keep(forwards(tape, run, models));
  const kept = tape.ledger.live;
  const forward = tape.ledger.takePeak();
  const trainable = builder.trainable();
  const { inventory } = builder;
  const found = { load, kept, trainable, inventory };
  if (tape.graph === null) return { ...found, phases: [{ phase: 'forward', peak: forward }] };
  backward(tape, tape.graph, output);
  return { ...found, phases: steps(tape, run, forward, trainable) };
}

/** Runs every model on its batch; the loss is that of all of them. */
function forwards(tape: Tape, run: MemoryRun, models: readonly Model[]): Tensor {
  const pairs = models.map(model => ({ model, batch: inputs(tape, run) }));
  const output = autocast(tape, run.autocast, () =>
    pairs.map(({ model, batch }) => model(tape, batch)).reduce((sum, one) => add(tape, sum, one)),
  );
  for (const { batch } of pairs) {
    for (const tensor of [batch.inputIds, batch.attentionMask]) if (tensor) tape.letGo(tensor);
  }
  return output;
}

function backward(tape: Tape, graph: Graph, loss: Tensor): void {
  tape.graph = null;
  const seed = tape.keep(tape.like(loss));
  graph.backward(loss, seed);
  for (const tensor of [seed, loss]) tape.letGo(tensor);
}

/** The steady step is the first one with the optimizer's states beside it. */
function steps(
  tape: Tape,
  run: MemoryRun,
  forward: Peak,
  trainable: readonly ParameterGroup[],
): PlayedPhase[] {
  const { ledger } = tape;
  const first: PlayedPhase[] = [
    { phase: 'first forward', peak: forward },
    { phase: 'first backward', peak: ledger.takePeak() },
  ];
  const without = new Float64Array(ledger.terms);
  const phases = [...first];
  const used = withGradients(trainable);
  for (const made of [false, true]) {
    tape.during(TEMPORARIES, () => run.optimizer?.step(tape, used, !made));
    phases.push({ phase: made ? 'optimizer step' : 'first optimizer step', peak: ledger.takePeak() });
  }
  const states = ledger.terms.map((bytes, term) => bytes - (without[term] ?? 0));
  const [steadyForward = 'forward', steadyBackward = 'backward'] = STEADY;
  const beside = [plusEach(states, heldOutputs(run)), states];
  const steady = first.map(({ peak }, i) => ({
    phase: i === 0 ? steadyForward : steadyBackward,
    peak: plus(peak, beside[i] ?? states),
  }));
  return [...phases.slice(0, 3), ...steady, ...phases.slice(3)];
}

/** What the loss did not depend on has no gradient, and the optimizer passes over it. */
function withGradients(groups: readonly ParameterGroup[]): readonly ParameterGroup[] {
  return groups.map(({ times, parameters }) => ({
    times,
    parameters: parameters.filter(({ grad }) => grad !== null),
  }));
}

const STEADY: readonly Phase[] = ['forward', 'backward'];

/** A benchmark's outputs live until it has the next ones: logits, and keys and values, which a model returns by default. */
function heldOutputs({ model, batch, tokens, behaviour, weightDtype, autocast }: MemoryRun): Float64Array {
  const held = new Float64Array(TERMS.length);
  if (behaviour.loss.kind !== 'sum') return held;
  const each = batch * tokens * bytesPer(autocast ?? weightDtype);
  held[LOGITS] = each * model.vocabSize;
  held[KV_CACHE] = each * 2 * model.layers * model.kvHeads * model.headDim;
  return held;
}

function plusEach(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((bytes, term) => bytes + (b[term] ?? 0));
}

function plus(peak: Peak, more: Float64Array): Peak {
  const terms = plusEach(peak.terms, more);
  return { bytes: terms.reduce((sum, bytes) => sum + bytes, 0), terms };
}

function inputs(tape: Tape, run: MemoryRun): Batch {
  return tape.during(INPUTS, () => {
    const tokens = run.batch * run.tokens;
    const make = (elements: number): Tensor => tape.keep(tape.empty(elements, 'int64'));
    const labels = run.task === 'train' ? labelsOf(run) : 0;
    return {
      inputIds: make(tokens),
      attentionMask: run.padded ? make(tokens) : null,
      labels: labels > 0 ? make(labels) : null,
    };
  });
}

/** One label a token or a row; none where rows are compared with one another. */
function labelsOf({ head, batch, tokens }: MemoryRun): number {
  if (head === 'base') return 0;
  return head === 'sequence-classification' ? batch : batch * tokens;
}
