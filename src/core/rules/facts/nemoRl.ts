import { template } from '../../text/say';
import type { Facts } from '../fact';

const BASE = `grpo:
  num_prompts_per_step: 32
  num_generations_per_prompt: 16
policy:
  model_name: Qwen/Qwen2.5-1.5B
  train_global_batch_size: 512
  train_micro_batch_size: 4
  max_total_sequence_length: 512
  precision: bfloat16
  dtensor_cfg:
    enabled: true
  megatron_cfg:
    enabled: false
  dynamic_batching:
    enabled: false
  sequence_packing:
    enabled: true
cluster:
  gpus_per_node: 8
  num_nodes: 1
`;

const POLICY = 'nemo_rl/models/policy/lm_policy.py';
const pipelined = BASE.replace(
  '  dtensor_cfg:\n    enabled: true\n  megatron_cfg:\n    enabled: false\n',
  '  dtensor_cfg:\n    enabled: false\n  megatron_cfg:\n    enabled: true\n    pipeline_model_parallel_size: 2\n',
)
  .replace('dynamic_batching:\n    enabled: false', 'dynamic_batching:\n    enabled: true')
  .replace('sequence_packing:\n    enabled: true', 'sequence_packing:\n    enabled: false');

/** Pitfalls of NeMo-RL; sources are files of NVIDIA-NeMo/RL 7ea279a (0.6.0). */
export const nemoRlFacts: Facts = {
  dialects: ['nemo-rl'],
  facts: [
    {
      id: 'nemo-rl-both-backends',
      severity: 'error',
      summary: 'DTensor and Megatron are both enabled.',
      when: { on: ['policy.dtensor_cfg.enabled', 'policy.megatron_cfg.enabled'] },
      at: ['policy.megatron_cfg.enabled', 'policy.dtensor_cfg.enabled'],
      message: template(
        'Two backends are on: {policy.megatron_cfg.enabled} and {policy.dtensor_cfg.enabled}. The policy raises a ValueError. Turn one off.',
      ),
      meaning: 'The base file turns DTensor on, and a file that extends it must turn it off to use Megatron.',
      advice: 'To use Megatron, set `policy.dtensor_cfg.enabled: false`.',
      source: `${POLICY} L122: “Configure either Megatron … or DTensor …, not both.”`,
      example: BASE.replace('megatron_cfg:\n    enabled: false', 'megatron_cfg:\n    enabled: true'),
      counterexample: BASE,
    },
    {
      id: 'nemo-rl-no-backend',
      severity: 'error',
      summary: 'Neither DTensor nor Megatron is enabled.',
      when: {
        stated: ['policy.dtensor_cfg.enabled', 'policy.megatron_cfg.enabled'],
        off: ['policy.dtensor_cfg.enabled', 'policy.megatron_cfg.enabled'],
      },
      at: ['policy.dtensor_cfg.enabled', 'policy.megatron_cfg.enabled'],
      message: template(
        'No backend is on: {policy.dtensor_cfg.enabled} and {policy.megatron_cfg.enabled}. The policy raises a ValueError. Turn one on.',
      ),
      meaning: 'The policy trains with one of its two backends.',
      advice: 'Set `policy.dtensor_cfg.enabled: true`, or Megatron’s.',
      source: `${POLICY} L157: “Please either set policy.megatron_cfg.enabled=true …”`,
      example: BASE.replace('dtensor_cfg:\n    enabled: true', 'dtensor_cfg:\n    enabled: false'),
      counterexample: BASE,
    },
    {
      id: 'nemo-rl-packing-and-dynamic-batching',
      severity: 'error',
      summary: 'Sequence packing and dynamic batching cannot be combined.',
      when: { on: ['policy.sequence_packing.enabled', 'policy.dynamic_batching.enabled'] },
      at: ['policy.dynamic_batching.enabled', 'policy.sequence_packing.enabled'],
      message: template(
        '{policy.sequence_packing.enabled} and {policy.dynamic_batching.enabled} cannot be combined: the policy fails an assertion. Turn one off.',
      ),
      meaning: 'Both decide the rows of a micro-batch.',
      advice: 'Set `policy.dynamic_batching.enabled: false`. The quick fix does this.',
      set: { key: 'policy.dynamic_batching.enabled', to: false },
      source: `${POLICY} L325, L352`,
      example: BASE.replace('dynamic_batching:\n    enabled: false', 'dynamic_batching:\n    enabled: true'),
      counterexample: BASE,
    },
    {
      id: 'nemo-rl-dynamic-batching-pipelined',
      severity: 'error',
      summary: "Dynamic batching doesn't work with pipeline stages.",
      when: {
        on: ['policy.dynamic_batching.enabled', 'policy.megatron_cfg.enabled'],
        above: { 'policy.megatron_cfg.pipeline_model_parallel_size': 1 },
      },
      at: ['policy.dynamic_batching.enabled'],
      message: template(
        '{policy.dynamic_batching.enabled} needs a single pipeline stage. With {policy.megatron_cfg.pipeline_model_parallel_size}, the policy fails an assertion. Pack rows instead.',
      ),
      meaning: 'A pipeline can’t process micro-batches of different shapes.',
      advice: 'Turn dynamic batching off, and `policy.sequence_packing.enabled` on.',
      source: `${POLICY} L313: “Dynamic batching is only supported for single pipeline parallel stage”`,
      example: pipelined,
      counterexample: pipelined.replace('pipeline_model_parallel_size: 2', 'pipeline_model_parallel_size: 1'),
    },
    {
      id: 'nemo-rl-replicas-need-v2',
      severity: 'error',
      summary: 'Replicas of shards need DTensor’s second worker.',
      when: {
        on: ['policy.dtensor_cfg.enabled'],
        above: { 'policy.dtensor_cfg.dp_replicate_size': 1 },
        off: ['policy.dtensor_cfg._v2'],
      },
      at: ['policy.dtensor_cfg.dp_replicate_size'],
      message: template(
        '{policy.dtensor_cfg.dp_replicate_size} needs policy.dtensor_cfg._v2. The first worker cannot shard within groups and raises a ValueError.',
      ),
      meaning: 'Only the NeMo Automodel worker supports HSDP.',
      advice: 'Set `policy.dtensor_cfg._v2: true`. The quick fix does this.',
      set: { key: 'policy.dtensor_cfg._v2', to: true },
      source: `${POLICY} L179: “dp_replicate_size > 1 requires policy.dtensor_cfg._v2: true”`,
      example: BASE.replace(
        'dtensor_cfg:\n    enabled: true',
        'dtensor_cfg:\n    enabled: true\n    dp_replicate_size: 2',
      ),
      counterexample: BASE.replace(
        'dtensor_cfg:\n    enabled: true',
        'dtensor_cfg:\n    enabled: true\n    _v2: true\n    dp_replicate_size: 2',
      ),
    },
    {
      id: 'nemo-rl-adapters-need-v2',
      severity: 'error',
      summary: 'Adapters need DTensor’s second worker.',
      when: {
        on: ['policy.dtensor_cfg.enabled', 'policy.dtensor_cfg.lora_cfg.enabled'],
        off: ['policy.dtensor_cfg._v2'],
      },
      at: ['policy.dtensor_cfg.lora_cfg.enabled'],
      message: template(
        "{policy.dtensor_cfg.lora_cfg.enabled} needs policy.dtensor_cfg._v2. The first worker doesn't support LoRA and fails an assertion.",
      ),
      meaning: 'Only the NeMo Automodel worker trains adapters.',
      advice: 'Set `policy.dtensor_cfg._v2: true`. The quick fix does this.',
      set: { key: 'policy.dtensor_cfg._v2', to: true },
      source: `${POLICY} L175: “LoRA is not supported for DTensorPolicyWorker V1”`,
      example: BASE.replace(
        'dtensor_cfg:\n    enabled: true',
        'dtensor_cfg:\n    enabled: true\n    lora_cfg:\n      enabled: true\n      dim: 8',
      ),
      counterexample: BASE.replace(
        'dtensor_cfg:\n    enabled: true',
        'dtensor_cfg:\n    enabled: true\n    _v2: true\n    lora_cfg:\n      enabled: true\n      dim: 8',
      ),
    },
  ],
};
