import type { FlagNames } from './flags';

/** A program that serves a model, with its command and its images. */
export interface Server {
  readonly dialect: string;
  /** The words that start it. */
  readonly program: RegExp;
  /** Images with it as entry point: their arguments begin with its flags. */
  readonly image: RegExp;
  /** Images that do not run on supported GPUs. */
  readonly not?: RegExp;
  readonly names: FlagNames;
  /** The flag for the first positional argument. */
  readonly positional?: string;
  /** Environment variables that it reads, by flag. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Variables that people's own launchers turn into its flags, by flag. */
  readonly launcher?: Readonly<Record<string, string>>;
}

const BARE = [
  'enforce-eager',
  'trust-remote-code',
  'enable-chunked-prefill',
  'enable-prefix-caching',
  'no-enable-prefix-caching',
  'no-enable-chunked-prefill',
  'enable-expert-parallel',
  'enable-auto-tool-choice',
  'enable-lora',
  'async-scheduling',
  'disable-log-requests',
  'disable-log-stats',
  'enable-dp-attention',
  'enable-torch-compile',
  'disable-cuda-graph',
  'enable-metrics',
  'auto-truncate',
  'no-kv-offload',
  'swa-full',
  'no-mmap',
  'mlock',
  'jinja',
  'embedding',
  'cont-batching',
];

/** text-generation-inference, launcher/src/main.rs; text-embeddings-inference, router/src/main.rs: `env` of each flag. */
const named = (flags: readonly string[], prefix = ''): Record<string, string> =>
  Object.fromEntries(flags.map(flag => [prefix + flag.toUpperCase().replaceAll('-', '_'), flag]));

export const servers: readonly Server[] = [
  {
    dialect: 'vllm',
    program:
      /(?:^|\/)vllm (?:serve|bench throughput)(?= |$)|-m vllm\.entrypoints\.(?:openai\.)?api_server(?= |$)|-m fastchat\.serve\.vllm_worker(?= |$)|(?:^|[/ ])benchmark_throughput\.py(?= |$)/,
    image: /(?:^|\/)vllm(?:-openai|-rocm)?(?::|@|$)|vllm\/vllm-openai|vllm-serve/,
    not: /cpu|tpu|neuron|gaudi|hpu|xpu/i,
    names: {
      joint: '-',
      bare: BARE,
      aliases: {
        tp: 'tensor-parallel-size',
        pp: 'pipeline-parallel-size',
        dp: 'data-parallel-size',
        q: 'quantization',
        'model-tag': 'model',
        // FastChat's worker passes the rest on.
        'model-path': 'model',
      },
    },
    positional: 'model',
    environment: { VLLM_ALLOW_LONG_MAX_MODEL_LEN: 'allow-long-max-model-len' },
    launcher: named(
      [
        'model',
        'max-model-len',
        'gpu-memory-utilization',
        'tensor-parallel-size',
        'max-num-seqs',
        'dtype',
        'quantization',
        'kv-cache-dtype',
      ],
      'VLLM_',
    ),
  },
  {
    dialect: 'sglang',
    program: /-m sglang\.launch_server(?= |$)|(?:^|\/)sglang serve(?= |$)/,
    image: /lmsysorg\/sglang/,
    not: /tpu|xeon|cpu|gaudi/i,
    names: {
      joint: '-',
      bare: BARE,
      aliases: {
        model: 'model-path',
        tp: 'tp-size',
        'tensor-parallel-size': 'tp-size',
        pp: 'pp-size',
        'pipeline-parallel-size': 'pp-size',
        dp: 'dp-size',
        'data-parallel-size': 'dp-size',
        ep: 'ep-size',
      },
    },
  },
  {
    dialect: 'tgi',
    program: /(?:^|\/)text-generation-launcher(?= |$)/,
    image: /text-generation-inference/,
    not: /gaudi|neuron|tpu|intel/i,
    names: { joint: '-', bare: BARE, aliases: { 'max-input-length': 'max-input-tokens' } },
    environment: {
      ...named([
        'model-id',
        'num-shard',
        'quantize',
        'dtype',
        'kv-cache-dtype',
        'max-input-tokens',
        'max-total-tokens',
        'max-batch-prefill-tokens',
        'max-batch-total-tokens',
        'max-batch-size',
        'cuda-memory-fraction',
      ]),
      MAX_INPUT_LENGTH: 'max-input-tokens',
    },
  },
  {
    dialect: 'tei',
    program: /(?:^|\/)text-embeddings-router(?= |$)/,
    image: /text-embeddings-inference/,
    not: /:cpu-|gaudi|hpu|neuron/i,
    names: { joint: '-', bare: BARE },
    environment: named([
      'model-id',
      'dtype',
      'max-batch-tokens',
      'max-batch-requests',
      'max-client-batch-size',
      'pooling',
    ]),
  },
  {
    dialect: 'llamacpp',
    program: /(?:^|\/)llama-server(?= |$)|(?:^|\/)llama\.cpp\/server(?= |$)/,
    image: /llama\.cpp(?::|@).*server|llama-server|llama\.cpp:server/,
    not: /:server$|:full$|vulkan|rocm|sycl|intel|musa|cpu/i,
    names: {
      joint: '-',
      bare: BARE,
      aliases: {
        m: 'model',
        hf: 'model',
        hfr: 'model',
        'hf-repo': 'model',
        c: 'ctx-size',
        ngl: 'n-gpu-layers',
        'gpu-layers': 'n-gpu-layers',
        b: 'batch-size',
        ub: 'ubatch-size',
        np: 'parallel',
        fa: 'flash-attn',
        ctk: 'cache-type-k',
        ctv: 'cache-type-v',
        nkvo: 'no-kv-offload',
      },
    },
    environment: {
      LLAMA_ARG_MODEL: 'model',
      LLAMA_ARG_HF_REPO: 'model',
      LLAMA_ARG_CTX_SIZE: 'ctx-size',
      LLAMA_ARG_N_GPU_LAYERS: 'n-gpu-layers',
      LLAMA_ARG_BATCH: 'batch-size',
      LLAMA_ARG_UBATCH: 'ubatch-size',
      LLAMA_ARG_N_PARALLEL: 'parallel',
      LLAMA_ARG_FLASH_ATTN: 'flash-attn',
      LLAMA_ARG_CACHE_TYPE_K: 'cache-type-k',
      LLAMA_ARG_CACHE_TYPE_V: 'cache-type-v',
    },
  },
];
