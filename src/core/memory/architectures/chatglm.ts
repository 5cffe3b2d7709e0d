import type { ModelFacts } from '../../models/model';
import type { Architecture } from '../architecture';
import { selfAttention } from '../blocks/attention';
import type { AttentionParts } from '../blocks/attention';
import type { DecoderDesign } from '../blocks/decoder';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { headsThenSplit, splitThenHeads } from '../blocks/fusedProjections';
import { sequentialLayer } from '../blocks/layers';
import type { Layer } from '../blocks/layers';
import { buildFusedGatedMlp, buildPlainMlp } from '../blocks/mlp';
import { buildLayerNorm, buildRmsNorm } from '../blocks/norm';
import { inputShape, outputShape } from '../blocks/projections';
import { partTurned, turned } from '../blocks/rotary';
import type { Builder, Step } from '../modules';
import { add, scale } from '../ops/pointwise';
import type { MemoryRun } from '../run';

/** Half of each head is rotated. */
const SHARE = 0.5;

/** The first generation has LayerNorm and an MLP without a gate. */
const isFirst = ({ gatedMlp }: ModelFacts): boolean => !gatedMlp;

const NAMES = { up: 'dense_h_to_4h', down: 'dense_4h_to_h' } as const;

const normOf = (builder: Builder, run: MemoryRun): Step =>
  isFirst(run.model) ? buildLayerNorm(builder, run.model.hiddenSize) : buildRmsNorm(builder, run);

/** GLMBlock of the second generation: Llama's, with one projection each for attention and MLP. */
function layer(builder: Builder, run: MemoryRun): Layer {
  const { model } = run;
  if (isFirst(model)) return firstLayer(builder, run);
  const before = normOf(builder, run);
  const all = (model.heads + 2 * model.kvHeads) * model.headDim;
  const project = splitThenHeads(model, builder.linear(inputShape(model, 'query_key_value', all)));
  const output = builder.linear(outputShape(model, 'dense'));
  const attention = { project, turn: partTurned(SHARE), byHead: 'turned' as const, output };
  const after = normOf(builder, run);
  const mlp = buildFusedGatedMlp(builder, run, NAMES);
  return sequentialLayer({ attention, mlp, norms: [before, after] });
}

/** GLMBlock of the first generation: adds to the scaled result of the norm; scores always exist. */
function firstLayer(builder: Builder, run: MemoryRun): Layer {
  const { model } = run;
  const [attentionNorm, mlpNorm] = [normOf(builder, run), normOf(builder, run)];
  const project = headsThenSplit(
    model,
    builder.linear(inputShape(model, 'query_key_value', 3 * model.hiddenSize)),
  );
  const output = builder.linear(outputShape(model, 'dense'));
  const attention: AttentionParts = { project, turn: turned, byHead: 'turned', output };
  const mlp = buildPlainMlp(builder, model, NAMES);
  return (tape, x, context) =>
    tape.call([x], () => {
      const normed = tape.name(attentionNorm(tape, x));
      const inFull = { ...context, kind: 'eager' as const, mask: null };
      const [mixed = x, ...weights] = selfAttention(tape, normed, attention, inFull);
      for (const kept of weights) tape.name(kept);
      const attended = tape.name(mixed);
      const states = tape.name(add(tape, scale(tape, normed), attended));
      const input = tape.name(mlpNorm(tape, states));
      const change = tape.name(mlp(tape, input));
      return add(tape, scale(tape, input), change);
    });
}

const design: DecoderDesign = {
  layer,
  norm: normOf,
  rotated: model => model.headDim * (isFirst(model) ? 1 : SHARE),
};

/** ChatGLM, whose code is distributed with the checkpoints. */
export const chatglm: Architecture = decoderArchitecture({
  modelTypes: ['chatglm'],
  source:
    'THUDM/chatglm-6b and THUDM/chatglm2-6b, modeling_chatglm.py, as liucongg/ChatGLM-Finetuning has them; generation: THUDM/glm-4-9b-chat',
  release: '4.30.2',
  design,
  // Widens logits only for a loss. From the second generation on, `return_last_logit`; glm-4-9b also copies the prompt's
  // keys and values into one tensor instead of keeping what they are views of.
  generates: model => ({
    widensLogits: false,
    ...(!isFirst(model) && { promptLogits: 'last', copiesPrompt: true }),
  }),
});
