import type { ModelFacts } from '../../models/model';
import type { Architecture } from '../architecture';
import { activationNamed } from '../blocks/activation';
import { selfAttention } from '../blocks/attention';
import { contextsOf } from '../blocks/contexts';
import type { DecoderDesign } from '../blocks/decoder';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import type { Layer } from '../blocks/layers';
import { buildLayerNorm } from '../blocks/norm';
import type { MakePrepare } from '../blocks/prepare';
import { laidOut, separateAttention } from '../blocks/projections';
import { turned } from '../blocks/rotary';
import { stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { to } from '../ops/cast';
import { add, dropout, mul, shift } from '../ops/pointwise';
import { embedding } from '../ops/select';
import type { MemoryRun } from '../run';

/** The default of OPTConfig. */
const DROPOUT = 0.1;

const embeddingSize = (model: ModelFacts): number => stated(model, 'word_embed_dim', model.hiddenSize);

/** Positions are counted over the padding mask, or over ones instead. */
const countedPositions: MakePrepare = (builder, run, design) => {
  const { positionRows, hiddenSize } = run.model;
  const table = builder.embedding('embed_positions', positionRows, hiddenSize);
  const width = embeddingSize(run.model);
  const widen =
    width === hiddenSize
      ? null
      : builder.linear({ name: 'project_in', inputs: width, outputs: hiddenSize, bias: false });
  return (tape, embedded, padding) => {
    const mask = padding ?? tape.name(tape.empty(run.batch.rows * run.batch.tokens, 'fp32'));
    const sums = tape.name(tape.like(mask));
    const positions = tape.rename(sums, to(tape, shift(tape, mul(tape, sums, mask)), 'int64'));
    const contexts = contextsOf(tape, run, design, { embedded, padding, positions });
    const places = tape.name(embedding(tape, table, shift(tape, positions)));
    const states = widen ? tape.rename(embedded, widen(tape, embedded)) : embedded;
    return { hidden: tape.name(add(tape, states, places)), ...contexts };
  };
};

function layer(builder: Builder, { model, task, behavior }: MemoryRun): Layer {
  const { hiddenSize, intermediateSize: inner, mlpBias: bias } = model;
  const separate = separateAttention(builder, model, {
    turn: turned,
    outputName: 'out_proj',
    queryScaled: true,
  });
  const attention = behavior.formerCode ? laidOut(separate) : separate;
  const attentionNorm = buildLayerNorm(builder, hiddenSize);
  const up = builder.linear({ name: 'fc1', inputs: hiddenSize, outputs: inner, bias });
  const down = builder.linear({ name: 'fc2', inputs: inner, outputs: hiddenSize, bias });
  const norm = buildLayerNorm(builder, hiddenSize);
  const rate = task === 'train' ? stated(model, 'dropout', DROPOUT) : 0;
  const before = model.extra['do_layer_norm_before'] !== false;
  const dropped: Step = (tape, x) => dropout(tape, x, rate);
  const mlp = [up, activationNamed(model.activation), down, dropped];
  return (tape, x, context) =>
    tape.call([x], () => {
      let states = tape.name(before ? attentionNorm(tape, x) : x);
      const [mixed = x, ...weights] = selfAttention(tape, states, attention, context);
      states = tape.rename(states, mixed);
      for (const kept of weights) tape.name(kept);
      states = tape.rename(states, dropped(tape, states));
      states = tape.rename(states, add(tape, x, states));
      if (!before) states = tape.rename(states, attentionNorm(tape, states));
      const residual = tape.name(states);
      if (before) states = tape.rename(states, norm(tape, states));
      for (const step of mlp) states = tape.rename(states, step(tape, states));
      const sum = tape.rename(states, add(tape, residual, states));
      return before ? sum : norm(tape, sum);
    });
}

/** A norm if layers begin with theirs; a projection if embeddings are narrower than hidden states. */
function finish(builder: Builder, { model }: MemoryRun): Step {
  const { hiddenSize, extra } = model;
  const width = embeddingSize(model);
  const steps: Step[] = [];
  if (extra['final_norm'] !== false) steps.push(buildLayerNorm(builder, hiddenSize));
  if (width !== hiddenSize) {
    steps.push(builder.linear({ name: 'project_out', inputs: hiddenSize, outputs: width, bias: false }));
  }
  return (tape, x) => steps.reduce((states, step) => step(tape, states), x);
}

const design: DecoderDesign = {
  prepare: countedPositions,
  layer,
  norm: finish,
  embeddingSize,
  rotated: () => 0,
  attentionDropout: model => stated(model, 'attention_dropout', 0),
};

/** Learned positions, LayerNorm before attention and MLP (350m: after), ReLU, dropout. */
export const opt: Architecture = decoderArchitecture({
  modelTypes: ['opt'],
  source: 'transformers 5.23.0, models/opt/modeling_opt.py',
  design,
  former: { ...design, floorsScores: true },
});
