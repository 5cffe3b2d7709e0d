import type { ModelFacts } from '../../models/model';
import type { Architecture, Model } from '../architecture';
import { LOGITS } from '../terms';
import { buildPatchEmbeddings, embedPatches } from '../blocks/images/patches';
import { encodePatches, imageContext } from '../blocks/images/patchTransformer';
import { sequentialLayer } from '../blocks/layers';
import type { Layer } from '../blocks/layers';
import { classLoss } from '../blocks/loss/crossEntropy';
import { buildPlainMlp } from '../blocks/mlp';
import { buildLayerNorm } from '../blocks/norm';
import { separateAttention } from '../blocks/projections';
import { turned } from '../blocks/rotary';
import { stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { slice } from '../ops/shape';
import type { MemoryRun } from '../run';
import { dropout } from '../ops/pointwise';

/** Tokens before the patches: a class token, and in DeiT a distillation token. */
const LEADING: Readonly<Record<string, number>> = { vit: 1, deit: 2 };

/** The side of a patch: stated, else derived from the number of positions and the image. */
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

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const batch = run.batch.rows;
  const { hiddenSize: hidden } = model;
  const side = stated(model, 'image_size', run.batch.image?.height ?? 0);
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
      const hiddenStates = tape.name(
        encodePatches(tape, embedded, encoder, run, imageContext(run, embeddings.tokens)),
      );
      const pooled = tape.name(slice(tape, hiddenStates, batch * hidden));
      const logits = tape.name(classifier(tape, pooled));
      return tape.during(LOGITS, () => classLoss(tape, logits, labels));
    });
}

/** The default number of classes (transformers, PretrainedConfig.num_labels). */
const CLASSES = 2;

/** A patch transformer that classifies the first token. */
export const vit: Architecture = {
  modelTypes: ['vit', 'deit'],
  source: 'transformers 5.23.0, models/vit/modeling_vit.py, models/deit/modeling_deit.py',
  samples: 'images',
  heads: ['image-classification'],
  missing: model => (patchOf(model, model.positionRows) > 0 ? [] : ['the patch size']),
  build,
};
