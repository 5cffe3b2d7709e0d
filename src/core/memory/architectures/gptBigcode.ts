import type { Architecture } from '../architecture';
import type { DecoderDesign } from '../blocks/decoder';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { headsThenSplit, splitThenHeads } from '../blocks/fusedProjections';
import { gptDesign } from '../blocks/gptDesign';
import { learnedPositions } from '../blocks/prepare';

/** A causal pattern of all positions lies beside the weights. */
const prepare: DecoderDesign['prepare'] = (builder, run, design) => {
  builder.buffer((run.model.maxPositions ?? 0) ** 2);
  return learnedPositions(builder, run, design);
};

/** GPT 2 with one head of keys and values (StarCoder). */
export const gptBigcode: Architecture = decoderArchitecture({
  modelTypes: ['gpt_bigcode'],
  source: 'transformers 5.23.0, models/gpt_bigcode/modeling_gpt_bigcode.py',
  design: {
    ...gptDesign({
      project: (model, linear) =>
        model.kvHeads === 1 ? splitThenHeads(model, linear) : headsThenSplit(model, linear),
      softmax: 'fp32',
    }),
    prepare,
  },
});
