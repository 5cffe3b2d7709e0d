import { line } from './line';

/** torchtune: the bar's description, the disk logger's line, and the memory that is logged at the start. */
const torchtuneForms = [
  line({
    start: String.raw`(?<epoch>{})\|(?<step>{})\|Loss: (?<loss>{})`,
    example: '1|120|Loss: 0.9512345',
    source: 'torchtune recipes/*.py: the description of the progress bar',
  }),
  line({
    start: String.raw`\bStep (?<step>{}) {1,4}\| {1,2}(?=\w{1,60}:)`,
    parts: {
      loss: String.raw`\bloss:{}`,
      learningRate: String.raw`\blr:{}`,
      gradNorm: 'grad_norm:{}',
      tokensPerSecond: 'tokens_per_second_per_gpu:{}',
      active: 'peak_memory_active:{}',
      allocated: 'peak_memory_alloc:{}',
      reserved: 'peak_memory_reserved:{}',
    },
    memory: {
      active: { what: 'peak_memory_active', unit: 'GiB' },
      allocated: { what: 'peak_memory_alloc', unit: 'GiB' },
      reserved: { what: 'peak_memory_reserved', unit: 'GiB' },
    },
    example:
      'Step 12 | loss:1.21 lr:0.0003 grad_norm:0.8 tokens_per_second_per_gpu:812.4 peak_memory_active:17.3 peak_memory_alloc:17.1 peak_memory_reserved:19.8',
    source: 'torchtune/training/metric_logging.py DiskLogger; training/memory.py L297-320',
  }),
  line({
    start: String.raw`\{(?='peak_memory_)`,
    parts: {
      active: String.raw`'peak_memory_active': {}`,
      allocated: String.raw`'peak_memory_alloc': {}`,
      reserved: String.raw`'peak_memory_reserved': {}`,
    },
    memory: {
      active: { what: 'peak_memory_active', unit: 'GB' },
      allocated: { what: 'peak_memory_alloc', unit: 'GB' },
      reserved: { what: 'peak_memory_reserved', unit: 'GB' },
    },
    example:
      "{'peak_memory_active': 9.478172672, 'peak_memory_alloc': 8.953868288, 'peak_memory_reserved': 11.112808448}",
    source: 'torchtune utils/memory.py memory_stats_log, before 0.1: divides by 10^9',
  }),
  // Up to 0.1 a division by 10^9, and GB behind it.
  ...(['GiB', 'GB'] as const).flatMap(unit =>
    (['allocation', 'reserved', 'active'] as const).map(what =>
      line({
        start: String.raw`peak memory ${what}: (?<memory>{})\s?${unit}`,
        memory: { memory: { what: `peak ${what}`, unit } },
        example: `GPU peak memory ${what}: 6.21 ${unit}`,
        source: 'torchtune/training/memory.py log_memory_stats',
      }),
    ),
  ),
];

/** Composer and LLM Foundry: a line a metric, the first of each batch with its count. */
const composerForms = [
  line({
    start: String.raw`\[batch=(?<step>{})/(?<steps>{})\]:`,
    example: '[batch=12/20]: Train metrics/train/LanguageCrossEntropy: 0.4316',
    source: 'composer/loggers/console_logger.py',
  }),
  ...(
    [
      ['loss', 'loss/train/total'],
      ['loss2', 'metrics/train/LanguageCrossEntropy|LanguageCrossEntropy'],
      ['learningRate', String.raw`lr-\w+/group0`],
      ['tokensPerSecond', 'throughput/tokens_per_sec'],
      ['tokensPerSecond2', 'throughput/device/tokens_per_sec'],
      ['samplesPerSecond', 'throughput/samples_per_sec'],
      ['stepsPerSecond', 'throughput/batches_per_sec'],
    ] as const
  ).map(([field, words]) =>
    line({
      start: String.raw`\bTrain (?:.*?[\s])?(?:${words}):\s+(?<${field}>{})`,
      example: `Train ${words.split('|')[0]?.replace(String.raw`\w+`, 'DecoupledAdamW') ?? ''}: 0.2626`,
      source: 'composer/loggers/console_logger.py',
    }),
  ),
  ...(['allocated', 'active', 'reserved'] as const).map(what =>
    line({
      start: String.raw`\bmemory/peak_${what}_mem:\s+(?<memory>{})`,
      memory: { memory: { what: `peak_${what}_mem`, unit: 'GB' } },
      example: `Train memory/peak_${what}_mem: 14.7660`,
      source: 'composer/callbacks/memory_monitor.py: gigabytes of 10^9',
    }),
  ),
];

const maxtextForms = [
  line({
    start: String.raw`completed step: (?<step>{}), seconds: (?<secondsPerStep>{})`,
    parts: { loss: String.raw`[\s,]loss: {}`, tokensPerSecond: 'Tokens/s/device: {}' },
    example:
      'completed step: 7, seconds: 6.051, TFLOP/s/device: 451.236, Tokens/s/device: 8123.462, total_weights: 393216, loss: 6.765',
    source: 'MaxText metric_logger.py',
  }),
  line({
    start: String.raw`^Tokens/s/device: (?<tokensPerSecond>{}), (?:.*?[\s,])?loss: (?<loss>{})`,
    example: 'Tokens/s/device: 5660.303, loss: 12.450',
    source: 'the same, wrapped',
  }),
];

/** nanochat, autoresearch. */
const nanochatForms = [
  line({
    start: String.raw`\bstep (?<step>{})(?:/(?<steps>{}))? \([\d.]+%\) \| loss: (?<loss>{})`,
    parts: {
      millisecondsPerStep: String.raw`\bdt: {}ms`,
      tokensPerSecond: 'tok/sec: {}',
      eta: 'remaining: {t}',
    },
    example:
      'step 00309/00310 (99.8%) | loss: 3.452771 | lrm: 0.00 | dt: 1014ms | tok/sec: 129,238 | mfu: 18.3% | epoch: 1 | remaining: 0s',
    source: 'karpathy/nanochat scripts/base_train.py',
  }),
  line({
    start: String.raw`^peak_vram_mb:\s+(?<memory>{})`,
    memory: { memory: { what: 'peak_vram_mb', unit: 'MiB' } },
    example: 'peak_vram_mb:     8076.0',
    source: 'karpathy/autoresearch train.py',
  }),
];

/** A number of verl's: with numpy 2 some are printed as `np.float64(0.018)`. */
const V = String.raw`(?:np\.\w{1,16}\()?{}`;

const verlMemory = {
  allocated: { what: 'max_memory_allocated_gb', unit: 'GiB' },
  reserved: { what: 'max_memory_reserved_gb', unit: 'GiB' },
  host: { what: 'cpu_memory_used_gb', unit: 'GiB' },
} as const;

const verlAmounts = {
  allocated: `perf/max_memory_allocated_gb:${V}`,
  reserved: `perf/max_memory_reserved_gb:${V}`,
  host: `perf/cpu_memory_used_gb:${V}`,
};

/** verl's console: RL and its trainer for supervised tuning. */
const verlForms = [
  line({
    start: String.raw`^(?=.*?actor/(?:pg_)?loss:)(?=(?:.*?(?<![\w/])step:(?<step>{}) - )?)`,
    parts: {
      loss: `actor/pg_loss:${V}`,
      loss2: `actor/loss:${V}`,
      learningRate: `actor/lr:${V}`,
      gradNorm: `actor/grad_norm:${V}`,
      secondsPerStep: `timing_s/step:${V}`,
      tokensPerSecond: `perf/throughput:${V}`,
      step2: `training/global_step:${V}`,
      epoch: `training/epoch:${V}`,
      ...verlAmounts,
    },
    memory: verlMemory,
    example:
      'step:12 - training/global_step:12 - training/epoch:0 - actor/entropy_loss:1.213 - actor/pg_loss:0.018 - actor/grad_norm:1.000 - actor/lr:0.000 - timing_s/step:41.2 - perf/throughput:1203.1 - perf/max_memory_allocated_gb:41.2 - perf/max_memory_reserved_gb:np.float64(52.8) - perf/cpu_memory_used_gb:130.1',
    source: 'verl utils/tracking.py LocalLogger, trainer/ppo/metric_utils.py',
  }),
  line({
    start: String.raw`^(?=.*?perf/max_memory_allocated_gb:)(?!.*?actor/(?:pg_)?loss:)(?=(?:.*?(?<![\w/])step:(?<step>{}) - )?)`,
    parts: {
      step2: `training/global_step:${V}`,
      secondsPerStep: `timing_s/step:${V}`,
      tokensPerSecond: `perf/throughput:${V}`,
      ...verlAmounts,
    },
    memory: verlMemory,
    example:
      'step:12 - critic/vf_loss:24.4 - timing_s/step:41.2 - perf/throughput:1203.1 - perf/max_memory_allocated_gb:41.2 - perf/max_memory_reserved_gb:52.8 - perf/cpu_memory_used_gb:130.1',
    source: 'verl trainer/ppo/metric_utils.py: while only the critic is trained',
  }),
  line({
    start: String.raw`^(?=.*?\btrain/loss:)(?=.*?\bstep:(?<step>{}) - )`,
    parts: {
      loss: `train/loss:${V}`,
      gradNorm: `train/grad_norm:${V}`,
      learningRate: String.raw`train/lr:{}`,
    },
    example: 'step:5 - train/loss:1.381 - train/grad_norm:0.9 - train/lr:1e-05',
    source: 'verl trainer/fsdp_sft_trainer.py',
  }),
  line({
    start: String.raw`\bmemory allocated \(GB\): (?<allocated>{})`,
    parts: {
      reserved: String.raw`\bmemory reserved \(GB\): {}`,
      used: String.raw`device memory used/total \(GB\): {}/`,
    },
    memory: {
      allocated: { what: 'memory allocated', unit: 'GiB' },
      reserved: { what: 'memory reserved', unit: 'GiB' },
      used: { what: 'device memory used', unit: 'GiB' },
    },
    example:
      'After FSDP, memory allocated (GB): 7.49, memory reserved (GB): 8.47, device memory used/total (GB): 9.59/31.36',
    source: 'verl utils/profiler/performance.py log_gpu_memory_usage: divides by 1024^3',
  }),
];

/** LitGPT counts iterations and, apart from them, the optimizer's steps. */
const litgptForms = [
  line({
    start: String.raw`Epoch (?<epoch>{}) \| iter \d+ step (?<step>{})(?:/(?<steps>{}))? ?\| loss(?: train)?: (?<loss>{}),`,
    parts: { millisecondsPerStep: String.raw`iter time: {} ms` },
    example: 'Epoch 1 | iter 10 step 5/100 | loss train: 1.872, val: n/a | iter time: 342.11 ms (step)',
    source: 'litgpt/finetune/lora.py fit',
  }),
  line({
    start: String.raw`\biter \d+ step (?<step>{}): loss (?<loss>{}), iter time: (?<millisecondsPerStep>{})ms`,
    example: 'iter 10 step 5: loss 1.8721, iter time: 342.11ms (optimizer.step)',
    source: 'lit-gpt finetune/lora.py, before litgpt 0.4',
  }),
  line({
    start: String.raw`^Memory used: (?<memory>{}) GB`,
    memory: { memory: { what: 'Memory used', unit: 'GB' } },
    example: 'Memory used: 13.90 GB',
    source: 'litgpt/finetune/lora.py: torch.cuda.max_memory_allocated() / 1e9',
  }),
];

/** The last cells of Unsloth's notebooks. */
const unslothForms = [
  line({
    start: String.raw`^Peak reserved memory = (?<reserved>{}) GB\.`,
    memory: { reserved: { what: 'peak reserved', unit: 'GiB' } },
    example: 'Peak reserved memory = 14.605 GB.',
    source: 'unslothai/notebooks: torch.cuda.max_memory_reserved() / 1024 / 1024 / 1024',
  }),
];

/** Nanotron, lingua, OLMo: `key: value |` or `key=value` around an iteration. */
const pretrainingForms = [
  line({
    start: String.raw`\biteration: (?<step>{}) / (?<steps>{}) \|`,
    parts: {
      tokensPerSecond: String.raw`tokens_per_sec: {}`,
      loss: String.raw`lm_loss: {}`,
      learningRate: String.raw`\blr: {}`,
      gradNorm: 'grad_norm: {}',
      millisecondsPerStep: 'time_per_iteration_ms: {}',
    },
    example:
      'iteration: 15 / 15 | consumed_tokens: 7.68K | time_per_iteration_ms: 54.3 | tokens_per_sec: 9431 | lm_loss: 4.21 | lr: 1e-05 | grad_norm: 3.1 | hardware_tflops_per_gpu: 0.01',
    source: 'nanotron/trainer.py train_step_logs',
  }),
  line({
    start: String.raw`\bMemory usage: (?<usage>{})MiB\. Peak allocated:? (?<allocated>{})MiB\.? Peak reserved: (?<reserved>{})MiB`,
    memory: {
      usage: { what: 'usage', unit: 'MiB' },
      allocated: { what: 'peak allocated', unit: 'MiB' },
      reserved: { what: 'peak reserved', unit: 'MiB' },
    },
    example: 'Memory usage: 1234.00MiB. Peak allocated 5678.00MiB. Peak reserved: 6000.00MiB',
    source: 'nanotron/logging/base.py log_memory',
  }),
  line({
    start: String.raw`\bstep:\s+(?<step>{})\s+loss:\s+(?<loss>{})\s+(?:grad_norm:\s+(?<gradNorm>{})\s+)?memory:\s+(?<memory>{})GiB`,
    parts: { tokensPerSecond: String.raw`\btps: {}` },
    memory: { memory: { what: 'memory', unit: 'GiB' } },
    example:
      'step: 10  loss:  7.1234  grad_norm:  1.2034  memory: 12.34GiB(15.61%)  tps: 5,200  tflops: 31.20  mfu: 10.00%',
    source: 'torchtitan/components/metrics.py MetricsProcessor.log',
  }),
];

export const llmForms = [
  ...torchtuneForms,
  ...composerForms,
  ...maxtextForms,
  ...nanochatForms,
  ...verlForms,
  ...litgptForms,
  ...pretrainingForms,
  ...unslothForms,
];
