import type { Architecture } from '../architecture';
import type { DecoderDesign } from '../blocks/decoder';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { splitThenHeads } from '../blocks/fusedProjections';
import { sequentialLayer } from '../blocks/layers';
import { buildGatedMlpNamed } from '../blocks/mlp';
import { buildRmsNorm } from '../blocks/norm';
import { inputShape, outputShape } from '../blocks/projections';
import { turnedInFp32 } from '../blocks/rotary';
import { stated } from '../configValues';

/** QWenConfig's rates. */
const DROPOUT = 0.1;

const design: DecoderDesign = {
  layer(builder, run) {
    const { model } = run;
    const first = buildRmsNorm(builder, run);
    const all = 3 * model.heads * model.headDim;
    const project = splitThenHeads(model, builder.linear(inputShape(model, 'attn.c_attn', all)));
    const output = builder.linear(outputShape(model, 'attn.c_proj'));
    const second = buildRmsNorm(builder, run);
    const mlp = buildGatedMlpNamed(builder, run, { gate: 'w2', up: 'w1', down: 'mlp.c_proj' });
    return sequentialLayer({
      attention: { project, turn: turnedInFp32, output },
      mlp,
      norms: [first, second],
    });
  },
  norm: buildRmsNorm,
  rotated: ({ headDim }) => headDim,
  softmax: 'own',
  embeddingDropout: model => stated(model, 'emb_dropout_prob', DROPOUT),
};

/** The first Qwen, whose code comes with the checkpoints: one projection with biases, a gated MLP, positions in fp32. */
export const qwen: Architecture = decoderArchitecture({
  modelTypes: ['qwen'],
  source: 'Qwen/Qwen-72B, modeling_qwen.py (3334bfe)',
  release: '4.32.0',
  design,
});
