import { usual } from './profile';
import type { FrameworkProfile } from './profile';

/**
 * TensorRT-LLM with its PyTorch backend: a pass over max_num_tokens is run first, and the share is of what its peak and
 * everything outside torch leave (tensorrt_llm/_torch/pyexecutor/_util.py, _cal_max_memory). CUDA graphs come on top.
 */
export const tensorrtLlm: FrameworkProfile<'tensorrt-llm'> = {
  ...usual,
  id: 'tensorrt-llm',
  makers: ['NVIDIA'],
  serving: {
    title: 'TensorRT-LLM',
    source: 'NVIDIA/TensorRT-LLM 0004396, tensorrt_llm/_torch/pyexecutor/_util.py; llmapi/llm_args.py',
    shareKey: 'kv-cache-free-gpu-memory-fraction',
    lengthKey: 'max-seq-len',
    share: 0.9,
    prefillTokens: () => 8192,
    sequences: () => 2048,
    block: 32,
    cutsRequests: true,
    cacheBytes: ({ totalBytes, contextBytes, besideTorchBytes, peakBytes }, share) =>
      share * (totalBytes - contextBytes - besideTorchBytes - peakBytes),
  },
};
