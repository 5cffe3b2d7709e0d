import type { Target } from '../../hardware/gpu';
import { usual } from './profile';
import type { FrameworkProfile } from './profile';

/** lmdeploy 0.16, utils.py, get_max_batch_size: by a word in the GPU's name. */
const SEQUENCES: readonly (readonly [name: RegExp, sequences: number])[] = [
  [/h800|h100|h200|l20y/i, 1024],
  [/a100|a800/i, 384],
];
const FEW_SEQUENCES = 128;

function sequencesOn(target: Target | null): number {
  const name = target?.gpu?.name ?? target?.name ?? '';
  return SEQUENCES.find(([word]) => word.test(name))?.[1] ?? FEW_SEQUENCES;
}

/**
 * TurboMind: the share is of the memory that is free once the weights are loaded (turbomind.cc, CreateEngine: “Object
 * cache budget”); a pass comes on top of it. A cache that is smaller than a session shortens sessions. PyTorch's engine
 * keeps back some memory for logits first (pytorch/engine/executor/base.py, _get_runtime_size), which is not modeled. It
 * also refuses heads that ranks don't share evenly (pytorch/config.py, `num_attention_heads % tp == 0`); TurboMind does not.
 * Which of the two runs is often decided by the model, so nothing is checked.
 */
export const lmdeploy: FrameworkProfile<'lmdeploy'> = {
  ...usual,
  id: 'lmdeploy',
  makers: ['NVIDIA'],
  serving: {
    title: 'LMDeploy',
    source: 'lmdeploy 0.16, src/turbomind/turbomind.cc; lmdeploy/messages.py',
    shareKey: 'cache-max-entry-count',
    lengthKey: 'session-len',
    share: 0.8,
    prefillTokens: () => 8192,
    sequences: sequencesOn,
    block: 64,
    halvesWeights: true,
    // A scale and a zero for each: kernels/attention/block.h, token_param_size; pytorch/engine/cache_engine/schema.py.
    cacheScaleBytes: bits => (bits < 16 ? 4 : 0),
    cutsRequests: true,
    cacheBytes: ({ totalBytes, contextBytes, weightsBytes }, share) =>
      share * (totalBytes - contextBytes - weightsBytes),
  },
};
