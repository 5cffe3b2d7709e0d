import type { ModelFacts } from '../../models/model';
import type { Architecture, Model } from '../architecture';
import {
  buildConvolution,
  buildNormedConvolution,
  elementsOf,
  imagesOf,
  sequence,
} from '../blocks/images/layers';
import type { FeatureMaps } from '../blocks/images/layers';
import { buildMixTransformer } from '../blocks/images/segmentation/mixTransformer';
import { classLoss } from '../blocks/loss/crossEntropy';
import { numbers, stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { dropout, mean, relu } from '../ops/pointwise';
import { logSoftmax, nllLoss } from '../ops/loss';
import { copy, viewWhoseGradientIsCopied } from '../ops/shape';
import { catWidest, upsample } from '../ops/pooling';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';
import { LOGITS } from '../terms';
import { widen } from '../transforms/autocast';

/** The default number of classes (transformers, PretrainedConfig.num_labels). */
const CLASSES = 2;

interface Head {
  /** Classifies each position of the lowest stage from the maps of all stages. */
  readonly run: (tape: Tape, levels: readonly Tensor[]) => Tensor;
}

/** SegformerDecodeHead: projects every stage's maps, resizes them to the lowest stage, and fuses them. */
function buildHead(builder: Builder, { model, task }: MemoryRun, sizes: readonly FeatureMaps[]): Head {
  const channels = stated(model, 'decoder_hidden_size', 256);
  const projections = sizes.map(({ channels: inputs }) =>
    builder.linear({ name: 'proj', inputs, outputs: channels, bias: true }),
  );
  const lowest = { ...(sizes[0] ?? { batch: 0, height: 0, width: 0 }), channels };
  const together = { ...lowest, channels: channels * sizes.length };
  const fuse = buildNormedConvolution(builder, together, { channels, size: 1 }, null);
  const outputs = stated(model, 'num_labels', CLASSES);
  const classify = buildConvolution(builder, lowest, { channels: outputs, size: 1, bias: true });
  const rate = task === 'train' ? stated(model, 'classifier_dropout_prob', 0.1) : 0;
  const after: readonly Step[] = [relu, (tape, x) => dropout(tape, x, rate), ...classify.steps];
  const elements = elementsOf(lowest);
  return {
    run: (tape, levels) =>
      tape.call(levels, () => {
        const seen = levels.map((level, i) => {
          const project = projections[i];
          const turned = copy(tape, level);
          const narrow = tape.name(project ? project(tape, turned) : turned);
          const ordered = tape.rename(narrow, viewWhoseGradientIsCopied(tape, narrow));
          return tape.rename(ordered, upsample(tape, ordered, elements));
        });
        const fused = sequence([...fuse.steps, ...after]);
        return fused(tape, catWidest(tape, seen));
      }),
  };
}

/** Logits at image size, and cross entropy over all pixels. */
function pixelLoss(tape: Tape, logits: Tensor, images: FeatureMaps, classes: number): Tensor {
  const pixels = images.batch * images.height * images.width;
  return tape.call([logits], () => {
    const labels = tape.name(tape.empty(pixels, 'int64'));
    const whole = tape.name(upsample(tape, logits, pixels * classes));
    return nllLoss(tape, logSoftmax(tape, widen(tape, whole)), labels);
  });
}

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const encoder = buildMixTransformer(builder, run);
  const outputs = stated(model, 'num_labels', CLASSES);
  if (run.head === 'image-classification') {
    const last = encoder.sizes.at(-1) ?? imagesOf(run);
    const classifier = builder.linear({ name: 'classifier', inputs: last.channels, outputs, bias: true });
    return (tape, { inputIds, labels }) =>
      tape.call([inputIds], () => {
        const [states = inputIds] = tape.call([], () => encoder.run(tape, inputIds)).slice(-1);
        const logits = tape.name(classifier(tape, mean(tape, states, last.height * last.width)));
        return tape.during(LOGITS, () => classLoss(tape, logits, labels));
      });
  }
  const head = buildHead(builder, run, encoder.sizes);
  return (tape, { inputIds, labels }) =>
    tape.call([inputIds], () => {
      const levels = tape.call([], () => encoder.run(tape, inputIds)).map(x => tape.name(x));
      const logits = tape.name(head.run(tape, levels));
      return labels
        ? tape.during(LOGITS, () => pixelLoss(tape, logits, imagesOf(run), outputs))
        : tape.view(logits, logits.elements);
    });
}

function missing(model: ModelFacts): readonly string[] {
  const known = ['hidden_sizes', 'depths', 'sr_ratios', 'num_attention_heads'].every(
    name => numbers(model, name).length > 0,
  );
  return known ? [] : ['the sizes of its stages'];
}

/** SegFormer: a pyramid of transformers with fewer keys than queries, and a head that fuses all stages. */
export const segformer: Architecture = {
  modelTypes: ['segformer'],
  source: 'transformers 5.23.0, models/segformer/modeling_segformer.py',
  samples: 'images',
  heads: ['segmenter', 'image-classification'],
  missing,
  build,
};
