import type { Architecture, Batch, Model } from './architecture';
import { ModelBuilder } from './builder';
import { cachedGradients } from './blocks/loss/contrastive';
import { logged } from './blocks/loss/preference';
import { KvCache } from './kvCache';
import { add } from './ops/pointwise';
import { returnsCache } from './run';
import type { ImageShape, MemoryRun } from './run';
import type { Recording, Tape } from './tape';
import type { Tensor } from './tensor';
import { INPUTS, LOGITS } from './terms';
import { autocast } from './transforms/autocast';

/** The model that log-probabilities are compared with; null if none. */
export function referenceOf(
  architecture: Architecture,
  run: MemoryRun,
  tape: Tape,
  trained: readonly Model[],
): Model | null {
  if (run.training.reference !== 'copy') {
    return run.training.reference === 'itself' ? (trained[0] ?? null) : null;
  }
  const frozen = { ...run, training: { ...run.training, lora: null, frozen: true } };
  const builder = new ModelBuilder(tape, frozen);
  const model = architecture.build(builder, frozen);
  return (on, batch) => {
    builder.begin();
    const result = model(on, batch);
    builder.finish();
    return result;
  };
}

/** The trained models: equal ones side by side, or one and a copy that scores tokens. */
export function trainedModels(architecture: Architecture, run: MemoryRun, builder: ModelBuilder): Model[] {
  const own = Array.from({ length: run.encoders }, () => architecture.build(builder, run));
  if (run.training.values !== 'model') return own;
  const generation = { ...run.generation, logitsToKeep: null };
  const scores = { ...run, head: 'sequence-classification', generation } as const;
  return [...own, architecture.build(builder, scores)];
}

/** The models with a loss, and their reference. */
interface Models {
  readonly trained: readonly Model[];
  readonly reference: Model | null;
}

/** Runs every model on its batch; the loss covers all of them. Labels live to the end of the step. */
export function forwards(
  tape: Tape,
  run: MemoryRun,
  { trained, reference }: Models,
): { readonly output: Tensor; readonly labels: readonly Tensor[] } {
  const pairs = trained.map(model => ({ model, batch: inputs(tape, run) }));
  const cached = cachedGradients(tape, run);
  const output = holdingCache(tape, run, () =>
    autocast(tape, run.numbers.autocast, () => {
      const losses = pairs.map(({ model, batch }) => model(tape, batch));
      return losses.reduce((sum, one) => add(tape, sum, one));
    }),
  );
  tape.keep(output);
  for (const { batch } of pairs) {
    // The reference's log-probabilities are computed when completions are generated, before the step.
    const inStep = !run.generation.rollout || run.behavior.loss.kind === 'log-probabilities';
    if (reference && inStep) compared(tape, run, reference, batch);
    for (const tensor of [batch.inputIds, batch.attentionMask, batch.decoderIds]) {
      if (tensor) tape.release(tensor);
    }
  }
  tape.during(LOGITS, () => logged(tape, run));
  return { output, labels: [...cached, ...pairs.flatMap(({ batch }) => batch.labels ?? [])] };
}

/** Keys and values among a training step's outputs, which are freed after its loss. */
function holdingCache(tape: Tape, run: MemoryRun, body: () => Tensor): Tensor {
  if (!returnsCache(run)) return body();
  const code = { ...run.behavior.generation, copiesPrompt: false };
  const returned = new KvCache({ code, dtype: null, room: null, seesFilled: false });
  tape.cache = returned;
  const output = body();
  tape.cache = null;
  returned.drop(tape);
  return output;
}

/** The reference model's pass, without a graph. */
function compared(tape: Tape, run: MemoryRun, reference: Model, batch: Batch): void {
  const { graph } = tape;
  tape.graph = null;
  tape.spend(autocast(tape, run.numbers.autocast, () => reference(tape, batch)));
  tape.graph = graph;
}

/** Runs the graph of a loss backwards. */
export function backward(tape: Tape, graph: Recording, loss: Tensor): void {
  tape.graph = null;
  const seed = tape.keep(tape.like(loss));
  graph.backward(loss, seed);
  for (const tensor of [seed, loss]) tape.release(tensor);
}

function inputs(tape: Tape, run: MemoryRun): Batch {
  return tape.during(INPUTS, () => {
    const make = (elements: number): Tensor => tape.keep(tape.empty(elements, 'int64'));
    const labels = run.task === 'train' ? labelsOf(run) : 0;
    return {
      inputIds: valuesOf(tape, run) ?? make(run.batch.rows * run.batch.tokens),
      attentionMask: run.batch.padded ? make(run.batch.rows * run.batch.tokens) : null,
      labels: labels > 0 ? make(labels) : null,
      decoderIds:
        run.task === 'infer' && run.batch.targets > 0 ? make(run.batch.rows * run.batch.targets) : null,
    };
  });
}

/** The values of a batch without token ids. */
function valuesOf(tape: Tape, run: MemoryRun): Tensor | null {
  if (run.batch.audio) {
    return tape.keep(tape.empty(run.batch.rows * run.batch.audio.values, run.numbers.weightDtype));
  }
  return run.batch.image ? pixels(tape, run, run.batch.image) : null;
}

/** Images, or latents, in the dtype of the weights. */
function pixels(
  tape: Tape,
  { batch: { rows: batch }, numbers: { weightDtype } }: MemoryRun,
  { channels, height, width, frames = 1 }: ImageShape,
): Tensor {
  return tape.keep(tape.empty(batch * channels * frames * height * width, weightDtype));
}

/** One label per token or row; none if rows are compared with one another. */
function labelsOf({ head, batch: { rows: batch, tokens, targets } }: MemoryRun): number {
  if (head === 'base') return 0;
  if (head === 'seq2seq' || head === 'ctc') return batch * targets;
  return head === 'sequence-classification' ? batch : batch * tokens;
}
