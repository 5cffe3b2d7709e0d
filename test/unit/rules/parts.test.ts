import assert from 'node:assert/strict';
import { checkCase } from './cases';
import type { Case } from './cases';
import { findingsOf } from './findings';

const inJson = { file: '/project/ds.json' };
const json = (content: object): string => `${JSON.stringify(content, null, 2)}\n`;
const offload = (stage: number, ratio = 1) => ({
  zero_optimization: { stage, offload_optimizer: { device: 'cpu', ratio }, offload_param: { device: 'cpu' } },
  train_micro_batch_size_per_gpu: 'auto',
});
const precisions = (fp16: boolean) => ({
  zero_optimization: { stage: 1 },
  bf16: { enabled: true },
  fp16: { enabled: fp16 },
});

const accelerate = `compute_environment: LOCAL_MACHINE
distributed_type: FSDP
machine_rank: 0
mixed_precision: bf16
num_machines: 1
num_processes: 8
`;
const fsdp = (keys: string): string =>
  `${accelerate}fsdp_config:\n  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n${keys}`;
const deepspeed = (keys: string): string =>
  `${accelerate.replace('FSDP', 'DEEPSPEED').replace('mixed_precision: bf16\n', '')}deepspeed_config:\n${keys}`;

const cases: readonly Case[] = [
  {
    rule: 'deepspeed-batch',
    at: 'train_batch_size',
    fires: json({ train_batch_size: 10, train_micro_batch_size_per_gpu: 4, zero_optimization: { stage: 1 } }),
    silent: json({
      train_batch_size: 'auto',
      train_micro_batch_size_per_gpu: 4,
      zero_optimization: { stage: 1 },
    }),
    surroundings: inJson,
  },
  {
    rule: 'deepspeed-two-precisions',
    at: 'fp16.enabled',
    fires: json(precisions(true)),
    silent: json(precisions(false)),
    surroundings: inJson,
  },
  {
    rule: 'partial-offload',
    at: 'zero_optimization.offload_optimizer.ratio',
    fires: json(offload(2, 0.5)),
    silent: json(offload(3, 0.5)),
    surroundings: inJson,
  },
  {
    rule: 'offload-param-stage',
    at: 'zero_optimization.offload_param.device',
    fires: json(offload(2)),
    silent: json(offload(3)),
    surroundings: inJson,
  },
  {
    rule: 'offload-param-stage',
    at: 'deepspeed_config.offload_param_device',
    fires: deepspeed('  zero_stage: 2\n  offload_param_device: cpu\n'),
    silent: deepspeed('  zero_stage: 2\n  offload_param_device: none\n'),
  },
  {
    rule: 'deepspeed-file-with-keys',
    at: 'deepspeed_config.zero_stage',
    fires: deepspeed('  deepspeed_config_file: ds.json\n  zero_stage: 3\n'),
    silent: deepspeed('  deepspeed_config_file: ds.json\n  zero3_init_flag: true\n'),
    says: /accelerate rejects zero_stage together with/,
  },
  {
    rule: 'cpu-ram-loading',
    at: 'fsdp_config.fsdp_sync_module_states',
    fires: fsdp('  fsdp_cpu_ram_efficient_loading: true\n  fsdp_sync_module_states: false\n'),
    silent: fsdp('  fsdp_cpu_ram_efficient_loading: true\n'),
  },
  {
    rule: 'fsdp-no-wrap',
    at: 'fsdp_config',
    fires: `${accelerate}fsdp_config:\n  fsdp_offload_params: false\n`,
    silent: fsdp(''),
  },
  {
    rule: 'fsdp-version-keys',
    at: 'fsdp_config.fsdp_sharding_strategy',
    fires: fsdp('  fsdp_version: 2\n  fsdp_sharding_strategy: SHARD_GRAD_OP\n'),
    silent: fsdp('  fsdp_sharding_strategy: SHARD_GRAD_OP\n'),
  },
];

describe('rules of launcher and DeepSpeed files opened alone', () => {
  for (const one of cases) checkCase(one);

  it('says nothing against sound files', async () => {
    for (const text of [
      fsdp(''),
      deepspeed('  zero_stage: 3\n'),
      json(precisions(false)),
      json(offload(3)),
    ]) {
      assert.deepEqual(await findingsOf(text, text.startsWith('{') ? inJson : {}), []);
    }
  });
});
