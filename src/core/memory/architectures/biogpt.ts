import type { Architecture } from '../architecture';
import { activationNamed } from '../blocks/activation';
import { selfAttention } from '../blocks/attention';
import { contextsOf } from '../blocks/contexts';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import type { Layer } from '../blocks/layers';
import { buildLayerNorm } from '../blocks/norm';
import { arangedPositions } from '../blocks/prepare';
import type { MakePrepare } from '../blocks/prepare';
import { separateAttention } from '../blocks/projections';
import { turned } from '../blocks/rotary';
import { stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { add, dropout, shift } from '../ops/pointwise';
import { embedding } from '../ops/select';
import type { MemoryRun } from '../run';

/** Defaults of BioGptConfig. */
const DROPOUT = 0.1;

/** Creates masks first, over ones without padding; positions begin at row 2 of their table. */
const prepare: MakePrepare = (builder, run, design) => {
  const { positionRows, hiddenSize } = run.model;
  const table = builder.embedding('embed_positions', positionRows, hiddenSize);
  return (tape, embedded, padding) => {
    if (padding === null) tape.name(tape.empty(run.batch.rows * run.batch.tokens, 'fp32'));
    const unplaced = tape.empty(0, 'int64');
    const contexts = contextsOf(tape, run, design, { embedded, padding, positions: tape.name(unplaced) });
    const positions = arangedPositions(tape, run);
    const places = tape.name(embedding(tape, table, shift(tape, positions)));
    return { hidden: tape.name(add(tape, embedded, places)), ...contexts };
  };
};

function layer(builder: Builder, { model, task }: MemoryRun): Layer {
  const { hiddenSize, intermediateSize: inner, mlpBias: bias } = model;
  const attention = separateAttention(builder, model, { turn: turned, outputName: 'out_proj' });
  const attentionNorm = buildLayerNorm(builder, hiddenSize);
  const up = builder.linear({ name: 'fc1', inputs: hiddenSize, outputs: inner, bias });
  const down = builder.linear({ name: 'fc2', inputs: inner, outputs: hiddenSize, bias });
  const norm = buildLayerNorm(builder, hiddenSize);
  const rate = (name: string, otherwise: number): number =>
    task === 'train' ? stated(model, name, otherwise) : 0;
  const dropped =
    (probability: number): Step =>
    (tape, x) =>
      dropout(tape, x, probability);
  const hidden = dropped(rate('hidden_dropout_prob', DROPOUT));
  const mlp = [
    norm,
    up,
    activationNamed(model.activation),
    dropped(rate('activation_dropout', 0)),
    down,
    hidden,
  ];
  return (tape, x, context) =>
    tape.call([x], () => {
      let states = tape.name(attentionNorm(tape, x));
      const [mixed = x, ...weights] = selfAttention(tape, states, attention, context);
      states = tape.rename(states, mixed);
      for (const kept of weights) tape.name(kept);
      states = tape.rename(states, hidden(tape, states));
      states = tape.rename(states, add(tape, x, states));
      const residual = tape.name(states);
      for (const step of mlp) states = tape.rename(states, step(tape, states));
      return tape.rename(states, add(tape, residual, states));
    });
}

/** OPT's layer with scaled word embeddings, and gelu. */
export const biogpt: Architecture = decoderArchitecture({
  modelTypes: ['biogpt'],
  source: 'transformers 5.23.0, models/biogpt/modeling_biogpt.py',
  design: {
    prepare,
    layer,
    norm: (builder, { model }) => buildLayerNorm(builder, model.hiddenSize),
    rotated: () => 0,
    softmax: 'own',
    scaledWords: true,
    embeddingDropout: model => stated(model, 'hidden_dropout_prob', DROPOUT),
    attentionDropout: model => stated(model, 'attention_probs_dropout_prob', DROPOUT),
  },
});
