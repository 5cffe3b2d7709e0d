import type { ModelFacts } from '../../models/model';
import type { Architecture } from '../architecture';
import type { DecoderDesign } from '../blocks/decoder';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { splitThenHeads } from '../blocks/fusedProjections';
import { sequentialLayer } from '../blocks/layers';
import { buildPlainMlp } from '../blocks/mlp';
import { buildLowLayerNorm } from '../blocks/norm';
import { learnedPositions, rotaryPositions } from '../blocks/prepare';
import { inputShape, outputShape } from '../blocks/projections';
import { turned } from '../blocks/rotary';
import type { Builder, Step } from '../modules';

const norm = (builder: Builder, { hiddenSize, norm: kind }: ModelFacts): Step =>
  buildLowLayerNorm(builder, hiddenSize, kind === 'layernorm' ? 'bias' : 'no bias');

const design: DecoderDesign = {
  prepare: (builder, run, own) =>
    (run.model.positions === 'learned' ? learnedPositions : rotaryPositions)(builder, run, own),
  layer(builder, { model }) {
    const first = norm(builder, model);
    const all = (model.heads + 2 * model.kvHeads) * model.headDim;
    const project = splitThenHeads(model, builder.linear(inputShape(model, 'Wqkv', all)));
    const attention = { project, turn: turned, output: builder.linear(outputShape(model, 'out_proj')) };
    const second = norm(builder, model);
    const mlp = buildPlainMlp(builder, model, { up: 'up_proj', down: 'down_proj' });
    return sequentialLayer({ attention, mlp, norms: [first, second] });
  },
  norm: (builder, { model }) => norm(builder, model),
  rotated: ({ positions, headDim }) => (positions === 'rope' ? headDim : 0),
};

/** MPTBlock: norms in the precision of autocast, one projection for query, key and value, a plain MLP. */
export const mptFoundry: Architecture = decoderArchitecture({
  modelTypes: ['mpt-foundry'],
  source: 'llm-foundry 8c8dd48, models/mpt/modeling_mpt.py, models/layers/{blocks,attention,ffn,norm}.py',
  missing: ({ positions }) => (positions === 'alibi' ? ['the memory of MPT with ALiBi'] : []),
  design,
});
