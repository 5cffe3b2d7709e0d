import assert from 'node:assert/strict';
import { judge } from '../core/support';

const GIB = 2 ** 30;

async function runOf(name: string, text: string, gpu: string) {
  const { runs } = await judge({ [name]: text }, gpu);
  return runs[0] ?? assert.fail('no run');
}

async function deviceOf(name: string, text: string, gpu: string) {
  const run = await runOf(name, text, gpu);
  return run.estimate?.devices[0] ?? assert.fail(run.missing.join(', '));
}

type Device = Awaited<ReturnType<typeof deviceOf>>;

const bytesOf = ({ terms }: Device, name: string): number =>
  terms.find(({ term }) => term === name)?.bytes ?? 0;

/** The rows add up to the device. */
function assertSum(device: Device): void {
  const sum = device.terms.reduce((all, { bytes }) => all + bytes, 0);
  assert.ok(Math.abs(sum - device.device.expected) < 1, `${sum} of ${device.device.expected}`);
}

const grpo = (more: string): string => `from trl import GRPOConfig, GRPOTrainer
args = GRPOConfig(output_dir="o", per_device_train_batch_size=2, num_generations=2, gradient_checkpointing=True,
    bf16=True, use_vllm=True, vllm_mode="colocate", max_completion_length=256, ${more})
GRPOTrainer(model="Qwen/Qwen2.5-0.5B-Instruct", args=args, train_dataset=ds, reward_funcs=r).train()
`;

describe('memory: an engine that sleeps while training goes on', () => {
  it('takes its share in both phases if it stays awake', async () => {
    const awake = await deviceOf('a.py', grpo('vllm_gpu_memory_utilization=0.5'), 'H100 SXM');
    const sleeping = await deviceOf(
      'b.py',
      grpo('vllm_gpu_memory_utilization=0.5, vllm_enable_sleep_mode=True'),
      'H100 SXM',
    );
    assert.notEqual(awake.peakPhase, 'generation');
    assert.ok(awake.device.expected > sleeping.device.expected);
  });

  it('counts with the states of the trainer where it is awake, if that is the higher peak', async () => {
    const settings = 'vllm_gpu_memory_utilization=0.9, vllm_enable_sleep_mode=True';
    const device = await deviceOf('a.py', grpo(settings), 'H100 SXM');
    assert.equal(device.peakPhase, 'generation');
    assert.ok(bytesOf(device, 'rollout engine') > 71 * GIB && bytesOf(device, 'optimizer states') > 3 * GIB);
    assertSum(device);
    assert.ok(device.terms.every(({ term }) => term !== 'activations'));
  });

  it('keeps kernels and graphs while training takes more', async () => {
    const settings = 'vllm_gpu_memory_utilization=0.05, vllm_enable_sleep_mode=True';
    const device = await deviceOf('a.py', grpo(settings), 'H100 SXM');
    assert.notEqual(device.peakPhase, 'generation');
    const kept = bytesOf(device, 'rollout engine');
    assert.ok(kept > 0.1 * GIB && kept < 1.5 * GIB, `${kept / GIB}`);
    assertSum(device);
  });
});

const verl = (more: string): string => `python3 -m verl.trainer.main_ppo \\
    algorithm.adv_estimator=grpo data.train_batch_size=256 data.max_prompt_length=512 data.max_response_length=512 \\
    actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct actor_rollout_ref.rollout.name=vllm \\
    actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1 \\
    trainer.n_gpus_per_node=8 trainer.nnodes=1 ${more}
`;

describe('memory: an engine in a process of its own', () => {
  it('keeps its context while it sleeps, as published: 774 MiB of a 1B (NeMo-RL issue 223)', async () => {
    const one = 'actor_rollout_ref.rollout.tensor_model_parallel_size=1';
    const device = await deviceOf(
      'train.sh',
      verl(`${one} actor_rollout_ref.rollout.gpu_memory_utilization=0.05`),
      '8x H100 SXM',
    );
    const kept = bytesOf(device, 'rollout engine');
    assert.ok(kept > 0.7 * GIB && kept < 2 * GIB, `${kept / GIB}`);
    assertSum(device);
  });

  it('writes next to what the trainer does not offload', async () => {
    const share = 'actor_rollout_ref.rollout.gpu_memory_utilization=0.85';
    const fsdp = 'actor_rollout_ref.actor.fsdp_config';
    const stays = await deviceOf('a.sh', verl(share), '8x H100 SXM');
    assert.equal(stays.peakPhase, 'generation');
    assert.ok(bytesOf(stays, 'optimizer states') > 5 * GIB);
    const leaves = await deviceOf(
      'b.sh',
      verl(`${share} ${fsdp}.param_offload=True ${fsdp}.optimizer_offload=True`),
      '8x H100 SXM',
    );
    assert.equal(bytesOf(leaves, 'optimizer states') + bytesOf(leaves, 'weights'), 0);
    assertSum(leaves);
    assert.deepEqual([stays.verdict, leaves.verdict], ['exceeds', 'fits']);
  });
});

const nemo = (share: number, more = ''): string => `defaults: grpo_math_1B.yaml
grpo: { num_prompts_per_step: 8, num_generations_per_prompt: 8 }
policy:
  model_name: Qwen/Qwen2.5-1.5B
  train_global_batch_size: 64
  train_micro_batch_size: 1
  max_total_sequence_length: 512
  precision: bfloat16
  sequence_packing: { enabled: false }
  optimizer: { name: torch.optim.AdamW }
  dtensor_cfg: { enabled: true, cpu_offload: false, sequence_parallel: false, activation_checkpointing: false, tensor_parallel_size: 1, context_parallel_size: 1 }
  megatron_cfg: { enabled: false }
  generation:
    backend: vllm
    vllm_cfg: { tensor_parallel_size: 1, gpu_memory_utilization: ${share}, max_model_len: 512 }
    colocated: { enabled: true }
${more}cluster: { gpus_per_node: 8, num_nodes: 1 }
`;

describe('memory: NeMo-RL', () => {
  it('has the engine on the bar, alone with the trainer’s context while it writes', async () => {
    const run = await runOf('grpo.yaml', nemo(0.9), '8x H100 SXM');
    const device = run.estimate?.devices[0] ?? assert.fail(run.missing.join(', '));
    assert.equal(device.peakPhase, 'generation');
    assert.ok(bytesOf(device, 'rollout engine') > 71 * GIB);
    assert.equal(bytesOf(device, 'weights'), 0);
    assertSum(device);
    assert.ok(run.estimate?.host?.terms.some(({ term }) => term === 'sleeping engine'));
  });
});
