import type { ModelFacts } from '../../models/model';
import type { Architecture, Model } from '../architecture';
import type { AttentionContext } from '../blocks/attention';
import { LOGITS } from '../terms';
import { buildPatchEmbeddings, embedPatches } from '../blocks/images/patches';
import { sequentialLayer } from '../blocks/layers';
import type { Layer } from '../blocks/layers';
import { classLoss } from '../blocks/loss/classes';
import { buildPlainMlp } from '../blocks/mlp';
import { buildLayerNorm } from '../blocks/norm';
import { separateAttention } from '../blocks/projections';
import { turned } from '../blocks/rotary';
import { stated } from '../facts';
import type { Builder, Repeated, Step } from '../modules';
import { slice } from '../ops/shape';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';
import { checkpoint } from '../transforms/checkpoint';
import { dropout } from '../ops/dropout';

/** Tokens before the patches: a class, and in DeiT one to learn from a teacher. */
const LEADING: Readonly<Record<string, number>> = { vit: 1, deit: 2 };

/** The side of a patch: as stated, else that of which as many as there are positions make the image. */
function patchOf(model: ModelFacts, side: number): number {
  const patches = model.positionRows - (LEADING[model.modelType] ?? 1);
  return stated(model, 'patch_size', patches > 0 ? Math.round(side / Math.sqrt(patches)) : 0);
}

function buildLayer(builder: Builder, { model, task }: MemoryRun): Layer {
  const rate = task === 'train' ? stated(model, 'hidden_dropout_prob', 0) : 0;
  const dropped =
    (step: Step): Step =>
    (tape, x) =>
      dropout(tape, step(tape, x), rate);
  const attention = separateAttention(builder, { ...model, attentionOutBias: true }, { turn: turned });
  const norms = [
    buildLayerNorm(builder, model.hiddenSize),
    buildLayerNorm(builder, model.hiddenSize),
  ] as const;
  const mlp = buildPlainMlp(builder, { ...model, mlpBias: true }, { up: 'fc1', down: 'fc2' }, rate);
  return sequentialLayer({ attention: { ...attention, output: dropped(attention.output) }, mlp, norms });
}

function contextOf(run: MemoryRun, tokens: number): AttentionContext {
  const { model, batch, attention, behaviour, task } = run;
  const { heads, headDim } = model;
  return {
    shape: { batch, heads, kvHeads: heads, headDim, queries: tokens, keys: tokens, hasFlash: run.hasFlash },
    layers: 'full',
    windowed: false,
    window: null,
    begins: true,
    kind: attention,
    rotation: null,
    mask: null,
    cache: false,
    returnsCache: false,
    repeatsKeyHeads: false,
    copiesInputs: behaviour.copiesAttentionInputs,
    floorsScores: false,
    softmax: 'fp32',
    capsScores: false,
    dropout: task === 'train' ? stated(model, 'attention_probs_dropout_prob', 0) : 0,
  };
}

/** What follows the embeddings. */
interface Encoder {
  readonly layers: readonly Repeated<Layer>[];
  readonly norm: Step;
}

function encode(
  tape: Tape,
  embedded: Tensor,
  { layers, norm }: Encoder,
  run: MemoryRun,
  tokens: number,
): Tensor {
  const context = contextOf(run, tokens);
  return tape.call([embedded], () => {
    let states = tape.name(embedded);
    for (const { part, times } of layers) {
      const body = (x: Tensor): Tensor => part(tape, x, context);
      const { checkpointing: kind } = run;
      const step = kind === 'none' ? body : (x: Tensor) => checkpoint(tape, x, { kind, captured: [], body });
      states = tape.repeat(times, states, [step]);
    }
    return norm(tape, states);
  });
}

function build(builder: Builder, run: MemoryRun): Model {
  const { model, batch } = run;
  const { hiddenSize: hidden } = model;
  const side = stated(model, 'image_size', run.image?.height ?? 0);
  const design = { hidden, patch: patchOf(model, side), leading: LEADING[model.modelType] ?? 1 };
  const embeddings = buildPatchEmbeddings(builder, run, design);
  const layers = builder.repeat(model.layers, () => buildLayer(builder, run));
  const encoder = { layers, norm: buildLayerNorm(builder, hidden) };
  const outputs = stated(model, 'num_labels', CLASSES);
  const classifier = builder.linear({ name: 'classifier', inputs: hidden, outputs, bias: true });
  const rate = run.task === 'train' ? stated(model, 'hidden_dropout_prob', 0) : 0;
  return (tape, { inputIds, labels }) =>
    tape.call([inputIds], () => {
      const embedded = embedPatches(tape, inputIds, embeddings, run, rate);
      const hiddenStates = tape.name(encode(tape, embedded, encoder, run, embeddings.tokens));
      const pooled = tape.name(slice(tape, hiddenStates, batch * hidden));
      const logits = tape.name(classifier(tape, pooled));
      return tape.during(LOGITS, () => classLoss(tape, logits, labels));
    });
}

/** Classes where the config does not say (transformers, PretrainedConfig.num_labels). */
const CLASSES = 2;

/** A transformer over patches, whose first token is classified. */
export const vit: Architecture = {
  modelTypes: ['vit', 'deit'],
  source: 'transformers 5.23.0, models/vit/modeling_vit.py, models/deit/modeling_deit.py',
  samples: 'images',
  heads: ['image-classification'],
  missing: model => (patchOf(model, model.positionRows) > 0 ? [] : ['the patch size']),
  build,
};
