import type { Architecture } from '../architecture';
import { languageHead, maskedHead, rowHead } from '../blocks/megatron/head';
import { buildMegatron } from '../blocks/megatron/model';
import type { MakeHead } from '../blocks/megatron/model';
import { depthsOf, nextTokenHead } from '../blocks/megatron/nextTokens';
import { buildMegatronT5 } from '../blocks/megatron/t5';
import type { MemoryRun } from '../run';

const SOURCE = 'Megatron-LM, megatron/core at d98e8a6';

/** GPTModel: Megatron's model for any decoder. */
export const megatronGpt: Architecture = {
  modelTypes: ['megatron-gpt'],
  source: `${SOURCE}, models/gpt/gpt_model.py`,
  heads: ['causal-lm', 'sequence-classification', 'base'],
  build: (builder, run) => buildMegatron(builder, run, gptHead(run)),
};

function gptHead(run: MemoryRun): MakeHead {
  if (run.head !== 'causal-lm') return rowHead;
  return depthsOf(run) > 0 ? nextTokenHead : languageHead;
}

/** BertModel with the masked-language-model head. */
export const megatronBert: Architecture = {
  modelTypes: ['megatron-bert'],
  source: `${SOURCE}, models/bert/bert_model.py`,
  heads: ['masked-lm'],
  build: (builder, run) => buildMegatron(builder, run, maskedHead),
};

/** T5Model. */
export const megatronT5: Architecture = {
  modelTypes: ['megatron-t5'],
  source: `${SOURCE}, models/T5/t5_model.py`,
  heads: ['seq2seq'],
  build: buildMegatronT5,
};
