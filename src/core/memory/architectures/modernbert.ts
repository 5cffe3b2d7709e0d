import type { Architecture } from '../architecture';
import { activationNamed } from '../blocks/activation';
import type { AttentionParts, Project } from '../blocks/attention';
import type { MakeEmbeddings } from '../blocks/encoderEmbeddings';
import { lookedUp } from '../blocks/encoderEmbeddings';
import { partSizes } from '../blocks/fusedProjections';
import { sequentialLayer } from '../blocks/layers';
import { buildLayerNorm } from '../blocks/norm';
import { rotaryEncoderArchitecture } from '../blocks/rotaryEncoder';
import { turnedWide } from '../blocks/rotary';
import { stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { dropout, mul } from '../ops/pointwise';
import { split } from '../ops/shape';
import type { MemoryRun } from '../run';

/** The default of ModernBertConfig: the window size, half of it on each side. */
const LOCAL_ATTENTION = 128;

const embeddings: MakeEmbeddings = (builder, run) => {
  const { vocabSize, hiddenSize } = run.model;
  const words = builder.embedding('tok_embeddings', vocabSize, hiddenSize);
  const norm = buildLayerNorm(builder, hiddenSize, 'no bias');
  const embed: ReturnType<MakeEmbeddings>['embed'] = (tape, inputIds) =>
    tape.call([inputIds], () => norm(tape, lookedUp(tape, words, inputIds, run)));
  return { words, embed };
};

/** One projection for all three, split by `unbind`. */
function attentionOf(builder: Builder, { model }: MemoryRun): AttentionParts {
  const { hiddenSize: hidden, qkvBias, attentionOutBias } = model;
  const all = builder.linear({ name: 'Wqkv', inputs: hidden, outputs: 3 * hidden, bias: qkvBias });
  const output = builder.linear({ name: 'Wo', inputs: hidden, outputs: hidden, bias: attentionOutBias });
  const project: Project = (tape, x) => {
    const whole = tape.name(all(tape, x));
    const sizes = partSizes(model, x.elements / hidden);
    const [query = x, key = x, value = x] = split(tape, tape.view(whole, whole.elements, whole.node), sizes);
    return { query: tape.name(query), key: tape.name(key), value: tape.name(value) };
  };
  return { project, turn: turnedWide, output };
}

/** ModernBertMLP: one layer for both halves, `act(input) · gate`. */
function mlpOf(builder: Builder, { model }: MemoryRun): Step {
  const { hiddenSize: hidden, intermediateSize: inner, mlpBias: bias } = model;
  const both = builder.linear({ name: 'Wi', inputs: hidden, outputs: 2 * inner, bias });
  const down = builder.linear({ name: 'Wo', inputs: inner, outputs: hidden, bias });
  const act = activationNamed(model.activation);
  return (tape, x) =>
    tape.call([x], () => {
      const size = (x.elements / hidden) * inner;
      const [input = x, gate = x] = split(tape, both(tape, x), [size, size]);
      for (const half of [input, gate]) tape.name(half);
      return down(tape, mul(tape, act(tape, input), gate));
    });
}

/** Rotary positions, global attention in every third layer and windows in the others, gated MLPs, norms before. */
export const modernbert: Architecture = rotaryEncoderArchitecture({
  modelTypes: ['modernbert'],
  source: 'transformers 5.23.0, models/modernbert/modeling_modernbert.py',
  embeddings,
  layer: (builder, run, { isFirst, rates }) => {
    const size = run.model.hiddenSize;
    // The embeddings were just normalized.
    const before: Step = isFirst ? (_, x) => x : buildLayerNorm(builder, size, 'no bias');
    const attention = attentionOf(builder, run);
    const norms = [before, buildLayerNorm(builder, size, 'no bias')] as const;
    return sequentialLayer({
      attention: {
        ...attention,
        output: (tape, x) => dropout(tape, attention.output(tape, x), rates.attention),
      },
      mlp: mlpOf(builder, run),
      norms,
    });
  },
  norm: (builder, { model }) => buildLayerNorm(builder, model.hiddenSize, 'no bias'),
  kinds: ['full', 'sliding', 'sliding'],
  window: model => stated(model, 'local_attention', LOCAL_ATTENTION) / 2,
  rates: { hidden: ['mlp_dropout', 0], attention: ['attention_dropout', 0] },
  softmax: 'fp32',
  headStyle: {
    widensLogits: true,
    transform: (builder, { model }) => {
      const { hiddenSize: size } = model;
      const dense = builder.linear({ name: 'dense', inputs: size, outputs: size, bias: false });
      const norm = buildLayerNorm(builder, size, 'no bias');
      const act = activationNamed('gelu');
      return (tape, x) => tape.call([x], () => norm(tape, act(tape, dense(tape, x))));
    },
  },
});
