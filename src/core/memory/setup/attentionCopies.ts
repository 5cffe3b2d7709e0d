import type { ModelFacts } from '../../models/model';
import type { ParallelSettings } from '../../spec/values';

/** Copies of attention among the tensor ranks, and the ranks that share each; a remainder leaves one rank idle. */
export function attentionOf(parallel: ParallelSettings | null): { copies: number; ranks: number } {
  const { tensor = 1, attentionCopies: copies = 1 } = parallel ?? {};
  return { copies, ranks: Math.max(1, Math.floor(tensor / copies)) };
}

/**
 * A model as one copy of attention sees it: the ranks of all copies share the MLPs, the experts and an untied head. The
 * table of words is each copy's own (sglang 0.5.12, srt/models/qwen3_moe.py and deepseek_v2.py: get_attention_tp_size,
 * use_attn_tp_group).
 */
export function withAttentionCopies(model: ModelFacts, copies: number): ModelFacts {
  const { intermediateSize, moe, vocabSize, tiedEmbeddings } = model;
  return {
    ...model,
    intermediateSize: intermediateSize / copies,
    moe: moe && {
      ...moe,
      intermediateSize: moe.intermediateSize / copies,
      sharedIntermediateSize: moe.sharedIntermediateSize / copies,
    },
    // The mean of a whole table and a shared head, which are as large.
    vocabSize: tiedEmbeddings ? vocabSize : Math.ceil((vocabSize * (copies + 1)) / (2 * copies)),
  };
}
