import type { Target } from '../../hardware/gpu';
import { inRelease } from '../../spec/version';
import type { Release } from '../../spec/version';
import type { Engine, EngineWords, Profile, StartUp } from '../engine';
import { communicationMiB } from '../serving/communication';
import { usual } from './profile';
import type { FrameworkProfile } from './profile';

/** What changes between releases; files are those of the vllm package on PyPI, read at the releases named. */
interface VllmRelease {
  /** config/cache.py (config.py before 0.10): gpu_memory_utilization. */
  readonly share: number;
  /** engine/arg_utils.py, get_batch_defaults: servers. */
  readonly batch: (target: Target | null, context: number) => BatchDefaults;
  /**
   * v1/worker/gpu_worker.py, determine_available_memory: up to 0.8 all that the GPU has in use counts, later only what
   * came since the worker's first snapshot, which is after the CUDA context.
   */
  readonly countsContext: boolean;
  /** v1/worker/utils.py, request_memory: since 0.9 the free memory has to cover the share. */
  readonly checksFree: boolean;
  /**
   * worker/worker.py up to 0.7: the profile begins after the room for adapters was taken, and does not count it
   * (vllm issue 14450).
   */
  readonly omitsAdapters: boolean;
  /** lora/layers/fused_moe.py: experts get adapters since 0.11.1. */
  readonly adaptsExperts: boolean;
  /** v1/cudagraph_dispatcher.py: since 0.11.1 graphs are captured with adapters and without. */
  readonly capturesTwice: boolean;
  /** v1/core/kv_cache_utils.py, unify_hybrid_kv_cache_specs: before 0.9.1 layers with a window are as all others. */
  readonly ignoresWindows: boolean;
  /** envs.py, VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS: graphs come out of the share. */
  readonly countsGraphs: boolean;
  /**
   * v1/core/kv_cache_utils.py, get_kv_cache_capacity: “GPU KV cache size” is the concurrency × max_model_len since 0.21
   * (vllm issue 43308), where layers with a window need few blocks; before, blocks of a group.
   */
  readonly countsRequests: boolean;
  /** v1/worker/gpu_model_runner.py, get_kv_cache_spec: encoder-only attention has no cache (vllm pull 21270). */
  readonly encodersKeepNone: boolean;
  readonly startUp: StartUp;
}

interface BatchDefaults {
  readonly tokens: number;
  readonly sequences: number;
}

const MIB_PER_GIB = 1024;

/** Devices of this size get larger passes; A100s are left out since 0.9. */
const LARGE_MIB = 70 * MIB_PER_GIB;
const LARGEST_MIB = 160 * MIB_PER_GIB;

const SMALL: BatchDefaults = { tokens: 2048, sequences: 256 };
const LARGE: BatchDefaults = { tokens: 8192, sequences: 1024 };

const sizeOf = (target: Target | null): number => target?.usableMiB ?? 0;
const isA100 = (target: Target | null): boolean => /a100/i.test(target?.gpu?.name ?? target?.name ?? '');

const bySize = (target: Target | null): BatchDefaults => (sizeOf(target) >= LARGE_MIB ? LARGE : SMALL);
const bySizeAndName = (target: Target | null): BatchDefaults => (isA100(target) ? SMALL : bySize(target));
const byThreeSizes = (target: Target | null): BatchDefaults =>
  sizeOf(target) >= LARGEST_MIB ? { tokens: 16_384, sequences: 1024 } : bySizeAndName(target);

/** config.py of 0.6 and 0.7: prompts are computed in chunks only if sequences are longer than 32 K. */
const LONG = 32_768;
const byContext = (_: Target | null, context: number): BatchDefaults => ({
  tokens: context > LONG ? SMALL.tokens : Math.max(context, SMALL.tokens),
  sequences: SMALL.sequences,
});

/**
 * v1/worker/gpu_model_runner.py, _dummy_sampler_run, with v1/sample/sampler.py: the model's own 16-bit logits and their
 * fp32 copy are there throughout. Sorting them (topk_topp_sampler.py; torch, native/cuda/Sort.cu) adds sorted values
 * (4) and indices (8), the indices it starts from (8), and a second buffer for both (12).
 */
const SORTED = 2 + 4 + 4 + 8 + 8 + 12;

/** Without sorting: probabilities, and random numbers or masked logits (random_sample; flashinfer, sampling.py). */
const UNSORTED = 2 + 4 + 4 + 4;

/**
 * Median of `non_torch_memory takes` in starts on one GPU: 0.05 to 0.26 GiB in nine logs of 0.6 to 0.8 on T4, RTX, L40S
 * and A100; 0.24 to 0.26 GiB in 28 starts of 0.19 on H100.
 */
const FEW_KERNELS_MIB = 96;
const KERNELS_MIB = 256;

const started = (
  samplerBytesPerLogit: number,
  samplerKeepsRows: boolean,
  kernelsMiB = KERNELS_MIB,
): StartUp => ({
  samplerBytesPerLogit,
  samplerKeepsRows,
  kernelsMiB,
  communicationMiB,
});

const V0: VllmRelease = {
  share: 0.9,
  batch: byContext,
  countsContext: false,
  checksFree: false,
  omitsAdapters: true,
  adaptsExperts: false,
  capturesTwice: false,
  ignoresWindows: true,
  countsGraphs: false,
  countsRequests: false,
  encodersKeepNone: false,
  startUp: started(SORTED, false, FEW_KERNELS_MIB),
};
const V1: VllmRelease = { ...V0, batch: bySize, countsContext: true, omitsAdapters: false };
const MEASURED: VllmRelease = { ...V1, batch: bySizeAndName, countsContext: false, checksFree: true };
const HYBRID: VllmRelease = { ...MEASURED, ignoresWindows: false };
const ENCODERS: VllmRelease = { ...HYBRID, encodersKeepNone: true };
const SNAPSHOT: VllmRelease = { ...ENCODERS, startUp: started(SORTED, false) };
const EXPERTS: VllmRelease = { ...SNAPSHOT, adaptsExperts: true, capturesTwice: true };
const TRITON: VllmRelease = { ...EXPERTS, startUp: started(UNSORTED, true) };
const GRAPHS: VllmRelease = { ...TRITON, share: 0.92, countsGraphs: true };
const FLASHINFER: VllmRelease = { ...GRAPHS, countsRequests: true, startUp: started(UNSORTED, false) };
const THREE_SIZES: VllmRelease = { ...FLASHINFER, batch: byThreeSizes };

const RELEASES: readonly [Release<VllmRelease>, ...Release<VllmRelease>[]] = [
  { since: '0.30', value: THREE_SIZES },
  { since: '0.21', value: FLASHINFER },
  { since: '0.20', value: GRAPHS },
  { since: '0.17', value: TRITON },
  { since: '0.11.1', value: EXPERTS },
  { since: '0.11', value: SNAPSHOT },
  { since: '0.10.1', value: ENCODERS },
  { since: '0.9.1', value: HYBRID },
  { since: '0.9', value: MEASURED },
  { since: '0.8', value: V1 },
  { since: '0', value: V0 },
];

/** The release that is read without another word. */
const NEWEST_READ = '0.33';

const WORDS: EngineWords = {
  tooSmall: 'max seq len {length} is larger than the KV cache',
  nothing: 'no available memory for the cache blocks',
  length: { name: 'max_model_len', override: 'VLLM_ALLOW_LONG_MAX_MODEL_LEN=1' },
};

/** The share covers weights, the activations of a profiling pass, and keys and values in what is left. */
function engineIn(release: string): Engine {
  const found = inRelease(RELEASES, release);
  const { share, batch, countsContext, checksFree, countsGraphs, startUp } = found;
  const { omitsAdapters, adaptsExperts, capturesTwice, countsRequests, encodersKeepNone, ignoresWindows } =
    found;
  return {
    title: 'vLLM',
    source: `vllm ${release}, v1/worker/gpu_worker.py, determine_available_memory; config/cache.py`,
    shareKey: 'gpu-memory-utilization',
    lengthKey: 'max-model-len',
    share,
    prefillTokens: (target, context) => batch(target, context).tokens,
    sequences: target => batch(target, 0).sequences,
    block: 16,
    groupsLayers: true,
    ignoresWindows,
    halvesWeights: true,
    copiesLatents: 'quantized',
    checks: ['length', 'heads', 'vocabulary'],
    says: WORDS,
    sharesExperts: true,
    encodersKeepNone,
    startUp: {
      ...startUp,
      checksFree,
      countsGraphs,
      countsRequests,
      omitsAdapters,
      adaptsExperts,
      capturesTwice,
    },
    cacheBytes: (profile, part) => part * profile.totalBytes - takenOf(profile, countsContext, countsGraphs),
    inRelease: engineIn,
  };
}

const takenOf = (
  { contextBytes, besideTorchBytes, graphsBytes, peakBytes }: Profile,
  countsContext: boolean,
  countsGraphs: boolean,
): number =>
  peakBytes + besideTorchBytes + (countsContext ? contextBytes : 0) + (countsGraphs ? graphsBytes : 0);

export const vllm: FrameworkProfile<'vllm'> = {
  ...usual,
  id: 'vllm',
  // docs.vllm.ai, getting_started/installation/gpu: CUDA, ROCm, XPU; TPUs need the plug-in vllm-tpu.
  makers: ['NVIDIA', 'AMD', 'Intel'],
  serving: engineIn(NEWEST_READ),
};
