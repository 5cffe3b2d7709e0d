import { line } from './line';

const TRAINER = 'transformers trainer_callback.py';

/** What transformers' Trainer and those on top of it (TRL, ms-swift, LLaMA-Factory, Axolotl) print of a step. */
const trainerStep = line({
  start: String.raw`\{(?=['"][^:]{1,80}['"]:)(?=.*?['"]loss['"]:)`,
  parts: {
    loss: String.raw`['"]loss['"]:\s*['"]?{}`,
    learningRate: String.raw`['"]learning_rate['"]:\s*['"]?{}`,
    gradNorm: String.raw`['"]grad_norm['"]:\s*['"]?{}`,
    epoch: String.raw`['"]epoch['"]:\s*['"]?{}`,
  },
  example:
    "{'loss': 1.2345, 'grad_norm': 0.81, 'learning_rate': 9.98e-05, 'mean_token_accuracy': 0.71, 'num_tokens': 81920.0, 'epoch': 0.16}",
  source: `${TRAINER}, PrinterCallback`,
});

/** What it prints at the end. */
const trainerEnd = line({
  start: String.raw`(?=['"]train_(?:runtime|samples_per_second|steps_per_second|loss)['"]:)`,
  parts: {
    loss: String.raw`['"]train_loss['"]:\s*['"]?{}`,
    samplesPerSecond: String.raw`['"]train_samples_per_second['"]:\s*['"]?{}`,
    stepsPerSecond: String.raw`['"]train_steps_per_second['"]:\s*['"]?{}`,
    tokensPerSecond: String.raw`['"]train_tokens_per_second['"]:\s*['"]?{}`,
    epoch: String.raw`['"]epoch['"]:\s*['"]?{}`,
  },
  example:
    "{'train_runtime': 159.06, 'train_samples_per_second': 69.181, 'train_steps_per_second': 2.169, 'train_tokens_per_second': 812.1, 'train_loss': 0.33, 'epoch': 3.0}",
  source: `${TRAINER}, trainer_utils.py speed_metrics`,
});

/** The same as a table: `***** train metrics *****`. */
const trainerTable = [
  line({
    start: String.raw`(?:^|>> )\s*epoch\s+=\s+(?<epoch>{})\s*$`,
    example: '  epoch                    =        1.0',
    source: 'transformers trainer_pt_utils.py log_metrics',
  }),
  line({
    start: String.raw`\btrain_samples_per_second\s+=\s+(?<samplesPerSecond>{})`,
    example: '  train_samples_per_second =      1.147',
    source: 'transformers trainer_pt_utils.py log_metrics',
  }),
  line({
    start: String.raw`\btrain_steps_per_second\s+=\s+(?<stepsPerSecond>{})`,
    example: '  train_steps_per_second   =      0.005',
    source: 'transformers trainer_pt_utils.py log_metrics',
  }),
  line({
    start: String.raw`\btrain_loss\s+=\s+(?<loss>{})`,
    example: '  train_loss               =     1.2345',
    source: 'transformers trainer_pt_utils.py log_metrics',
  }),
];

/** What ms-swift adds to a step's line. */
const swiftStep = line({
  start: String.raw`\{(?=['"][^:]{1,80}['"]:)(?=.*?['"]global_step(?:/max_steps)?['"]:)`,
  parts: {
    step: String.raw`['"]global_step['"]:\s*['"]?{}`,
    step2: String.raw`['"]global_step/max_steps['"]:\s*['"]?{}`,
    steps: String.raw`['"]global_step/max_steps['"]:\s*['"]?\d+/{}`,
    eta: String.raw`['"]remaining_time['"]:\s*['"]{t}`,
    stepsPerSecond: String.raw`['"]train_speed\(iter/s\)['"]:\s*['"]?{}`,
    secondsPerStep: String.raw`['"]train_speed\(s/it\)['"]:\s*['"]?{}`,
    memory: String.raw`['"]memory\(GiB\)['"]:\s*['"]?{}`,
  },
  memory: { memory: { what: 'memory(GiB)', unit: 'GiB' } },
  example:
    "{'loss': 1.47, 'global_step': 1, 'global_step/max_steps': '1/94', 'remaining_time': '12m 6s', 'memory(GiB)': 16.75, 'train_speed(iter/s)': 0.128088, 'train_speed(s/it)': 7.8}",
  source: 'ms-swift swift/trainers/callback.py, 2.1 to 4',
});

/** LLaMA-Factory's `include_num_input_tokens_seen`, and Axolotl's counters of tokens and memory. */
const trainerExtras = [
  line({
    start: String.raw`\{.*?['"]throughput['"]:\s*['"]?(?<tokensPerSecond>{})`,
    example: "{'loss': 0.9834, 'learning_rate': 1.3581e-04, 'epoch': 1.54, 'throughput': 5.25}",
    source: 'LLaMA-Factory train/callbacks.py L143',
  }),
  line({
    start: String.raw`\{.*?['"](?:tps|tokens_per_second_per_gpu|tokens/train_per_sec_per_gpu)['"]:\s*['"]?(?<tokensPerSecond>{})`,
    example: "{'loss': 1.2, 'tokens_per_second_per_gpu': 2518.2, 'epoch': 0.1}",
    source: 'axolotl utils/callbacks/tokens_per_second.py',
  }),
  line({
    start: String.raw`\{(?=.*?['"]memory/max_\w+ ?\(Gi?B\)['"]:)`,
    parts: {
      active: String.raw`['"]memory/max_(?:mem_)?active ?\(Gi?B\)['"]:\s*['"]?{}`,
      allocated: String.raw`['"]memory/max_(?:mem_)?allocated ?\(Gi?B\)['"]:\s*['"]?{}`,
      reserved: String.raw`['"]memory/device_(?:mem_)?reserved ?\(Gi?B\)['"]:\s*['"]?{}`,
    },
    memory: {
      active: { what: 'max_active', unit: 'GiB' },
      allocated: { what: 'max_allocated', unit: 'GiB' },
      reserved: { what: 'device_reserved', unit: 'GiB' },
    },
    example:
      "{'loss': 1.2, 'memory/max_active (GiB)': 17.3, 'memory/max_allocated (GiB)': 17.1, 'memory/device_reserved (GiB)': 19.8}",
    source: 'axolotl core/trainers/base.py and utils/bench.py, 0.10 and later',
  }),
];

/** All that runs on transformers' Trainer may print. */
export const huggingFaceForms = [trainerStep, swiftStep, ...trainerExtras, trainerEnd, ...trainerTable];
