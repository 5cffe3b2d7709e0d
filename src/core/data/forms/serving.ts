import { line } from './line';

const gib = (what: string) => ({ what, unit: 'GiB' }) as const;

/** What vLLM says of its memory while it starts, old and new. */
const vllmForms = [
  line({
    start: String.raw`(?:[Mm]odel loading took|Loading model weights took) (?<weights>{}) Gi?B`,
    memory: { weights: gib('weights') },
    example: 'Model loading took 6.2473 GiB and 271.880794 seconds',
    source: 'vLLM v1/worker/gpu_model_runner.py load_model',
  }),
  line({
    start: String.raw`model weights take (?<weights>{})GiB; non_torch_memory takes (?<nonTorch>{})GiB; PyTorch activation peak memory takes (?<activations>{})GiB; the rest of the memory reserved for KV Cache is (?<kvCache>{})GiB`,
    memory: {
      weights: gib('weights'),
      nonTorch: gib('non-torch'),
      activations: gib('activation peak'),
      kvCache: gib('kv-cache'),
    },
    example:
      'model weights take 6.25GiB; non_torch_memory takes 0.03GiB; PyTorch activation peak memory takes 0.75GiB; the rest of the memory reserved for KV Cache is 1.74GiB.',
    source: 'vLLM worker/worker.py determine_num_available_blocks, 0.6 to 0.9',
  }),
  line({
    start: String.raw`Available KV cache memory: (?<kvCache>{}) GiB`,
    memory: { kvCache: gib('available KV cache') },
    example: 'Available KV cache memory: 9.62 GiB',
    source: 'vLLM v1/worker/gpu_worker.py determine_available_memory',
  }),
  line({
    start: String.raw`Graph capturing finished in \d+ secs, took (?<graphs>{}) GiB`,
    memory: { graphs: gib('graph capture') },
    example: 'Graph capturing finished in 5 secs, took 0.54 GiB',
    source: 'vLLM v1/worker/gpu_model_runner.py capture_model',
  }),
];

const sglangForms = [
  line({
    start: String.raw`Load weight end\..*?avail mem=(?<available>{}) GB(?:, mem usage=(?<weights>{}) GB)?`,
    memory: { available: gib('available after weights'), weights: gib('weights') },
    example:
      'Load weight end. type=Qwen3ForCausalLM, dtype=torch.bfloat16, avail mem=16.00 GB, mem usage=7.08 GB.',
    source: 'SGLang srt/model_executor/model_runner.py load_model',
  }),
  line({
    start: String.raw`\bavail(?:able_gpu_| )mem=(?<available>{}) GB`,
    memory: { available: gib('available') },
    example: 'max_running_requests=3730, context_len=40960, available_gpu_mem=2.82 GB',
    source: 'SGLang srt/managers/tp_worker.py, scheduler.py',
  }),
  line({
    start: String.raw`KV Cache is allocated\..*?K size: (?<keys>{}) GB, V size: (?<values>{}) GB`,
    memory: { keys: gib('K cache'), values: gib('V cache') },
    example: 'KV Cache is allocated. #tokens: 298447, K size: 5.69 GB, V size: 5.69 GB',
    source: 'SGLang srt/mem_cache/memory_pool.py',
  }),
  line({
    start: String.raw`Mamba Cache is allocated\..*?conv_state size: (?<conv>{})GB`,
    memory: { conv: gib('conv state') },
    example:
      'Mamba Cache is allocated. max_mamba_cache_size: 85292, conv_state size: 4.88GB, ssm_state size: 0.00GB',
    source: 'SGLang srt/mem_cache/memory_pool.py MambaPool',
  }),
];

export const servingForms = [...vllmForms, ...sglangForms];
