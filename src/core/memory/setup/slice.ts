import type { ModelFacts } from '../../models/model';
import type { ParallelSettings } from '../../spec/values';
import { profileOf } from '../frameworks/profileOf';
import type { Asker } from './asker';
import { isInference } from './task';

const ALONE: ParallelSettings = {
  tensor: 1,
  context: 1,
  pipeline: 1,
  expert: 1,
  dataShard: null,
  dataReplicate: null,
};

/** How a training run's model is cut; inference is spread by device_map instead. */
export function cutsOf(asker: Asker): ParallelSettings {
  return isInference(asker) ? ALONE : (asker.value('parallel') ?? ALONE);
}

/** GPUs that work on data of their own or on a part of its rows, and so hold the same slice of the model. */
export function ranksOfSlice(asker: Asker, gpus: number): number {
  const { tensor, pipeline } = cutsOf(asker);
  return Math.max(1, Math.floor(gpus / (tensor * pipeline)));
}

/**
 * One rank's slice of a model. Tensor parallelism cuts heads and the MLP's inner width; hidden states, norms and the
 * embeddings are whole on each rank, and logits are gathered (transformers, integrations/tensor_parallel.py: colwise,
 * rowwise, colwise_gather_output). Expert parallelism cuts the number of experts; each rank's experts get as many tokens
 * as its own tokens ask for, where the router is fair.
 */
export function sliceOf(asker: Asker, model: ModelFacts): ModelFacts {
  const { tensor, expert } = cutsOf(asker);
  const { tensorParallel } = profileOf(asker.run.framework);
  if (tensorParallel === 'megatron') return megatronSlice(asker, model, { tensor, expert });
  return inExperts(asker, inTensors(asker, model, tensor), expert);
}

function inTensors(asker: Asker, model: ModelFacts, ranks: number): ModelFacts {
  if (ranks === 1) return model;
  const { heads, kvHeads, intermediateSize, experts, mla } = model;
  if (mla !== null || experts > 0) asker.lack(`how ${model.modelType} is cut under tensor parallelism`);
  // Fewer heads of keys than ranks: each rank has one of them.
  const keys = kvHeads % ranks === 0 ? kvHeads / ranks : ranks % kvHeads === 0 ? 1 : null;
  if (heads % ranks !== 0 || intermediateSize % ranks !== 0 || keys === null) {
    asker.lack(`a number of heads and an MLP width that ${ranks} tensor-parallel ranks can share`);
    return model;
  }
  const own = { ...model, heads: heads / ranks, kvHeads: keys, intermediateSize: intermediateSize / ranks };
  if (profileOf(asker.run.framework).tensorParallel === 'heads and words') {
    return { ...own, vocabSize: Math.ceil(model.vocabSize / ranks) };
  }
  asker.assume(null, `embeddings and logits are whole on each of ${ranks} tensor-parallel ranks`);
  return own;
}

function inExperts(asker: Asker, model: ModelFacts, ranks: number): ModelFacts {
  if (ranks === 1) return model;
  if (model.experts % ranks !== 0 || model.experts === 0) {
    asker.lack(`a number of experts that ${ranks} ranks can share`);
    return model;
  }
  asker.assume(null, 'the router sends every rank as many tokens as the others');
  return { ...model, experts: model.experts / ranks };
}

/** Ranks that share each expert: those that share heads, where nothing else is said (`--expert-tensor-parallel-size`). */
export const expertTensorOf = (asker: Asker): number =>
  asker.detail('expertTensorRanks') ?? cutsOf(asker).tensor;

/** Megatron cuts heads, inner widths, words and experts; a padded vocabulary has as many words for each rank. */
function megatronSlice(
  asker: Asker,
  model: ModelFacts,
  { tensor, expert }: Pick<ParallelSettings, 'tensor' | 'expert'>,
): ModelFacts {
  const { heads, kvHeads, intermediateSize, experts, moe, vocabSize } = model;
  if (heads % tensor !== 0 || experts % expert !== 0) {
    asker.lack(`numbers of heads and experts that ${tensor} and ${expert} ranks can share`);
  }
  const each = expertTensorOf(asker);
  return {
    ...model,
    heads: heads / tensor,
    kvHeads: Math.max(1, kvHeads / tensor),
    intermediateSize: intermediateSize / tensor,
    vocabSize: Math.ceil(vocabSize / tensor),
    experts: experts / expert,
    moe: moe && {
      ...moe,
      intermediateSize: moe.intermediateSize / each,
      sharedIntermediateSize: moe.sharedIntermediateSize / tensor,
    },
  };
}
