import { lacksSdpa } from '../memory/frameworks/behavior/attentionDefault';
import { gainOf, lessTime, timedStep } from './gain';
import type { Rule } from './rule';
import { change } from './when';

/** Transformers recommends eager attention for training these: other kernels leave out a cap of the scores. */
const WITH_CAPPED_SCORES = /^gemma[234]/;
/** Families of text whose classes in transformers 4.57.1 lack `_supports_sdpa`: loading them with SDPA is an error. */
const WITHOUT_SDPA: ReadonlySet<string> = new Set([
  ...[
    'big_bird',
    'bloom',
    'canine',
    'codegen',
    'convbert',
    'deberta',
    'deberta-v2',
    'electra',
    'ernie',
    'funnel',
  ],
  ...[
    'gpt_neo',
    'gpt_neox_japanese',
    'gpt_oss',
    'gptj',
    'ibert',
    'layoutlm',
    'longformer',
    'luke',
    'megatron-bert',
  ],
  ...['mobilebert', 'mpnet', 'mpt', 'mra', 'nystromformer', 'prophetnet', 'rembert', 'roberta-prelayernorm'],
  ...['roc_bert', 'roformer', 'squeezebert', 'xglm', 'xmod', 'yoso'],
]);

export const eagerAttention: Rule = {
  id: 'eager-attention',
  severity: 'hint',
  summary: 'Eager attention writes all scores to memory; a fused kernel computes the same.',
  sources: [
    'Dao et al., arXiv 2205.14135',
    'transformers models/gemma2/modeling_gemma2.py: “It is strongly recommended to train Gemma2 models with the `eager` attention”',
    'transformers 4.57.1 modeling_utils.py: a class without _supports_sdpa raises “does not support an attention implementation through torch.nn.functional.scaled_dot_product_attention yet”',
  ],
  check(context) {
    const { run, model } = context;
    const type = model?.modelType ?? '';
    const isOnly = WITH_CAPPED_SCORES.test(type) || WITHOUT_SDPA.has(type) || lacksSdpa(run.framework, type);
    if (run.quantities.attention.value !== 'eager' || isOnly) return [];
    const step = timedStep(context, 'same');
    const fused = change(context.say('Use SDPA'), { quantity: 'attention', to: 'sdpa' });
    const gain = step && gainOf(context, step.speed, fused.changes, 'same');
    if (!gain) return [];
    const message = context.say(
      'Eager attention is slow: {0} with SDPA, which writes no scores. The mathematics is the same.',
      lessTime(context.say, gain.share),
    );
    return [{ at: ['quantity:attention', 'quantity:microBatchSize'], message, remedies: [fused] }];
  },
};
