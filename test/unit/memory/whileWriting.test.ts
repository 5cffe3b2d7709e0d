import assert from 'node:assert/strict';
import { judge } from '../core/support';

const GIB = 2 ** 30;

async function deviceOf(name: string, text: string, gpu: string) {
  const { runs } = await judge({ [name]: text }, gpu);
  const [run] = runs;
  return run?.estimate?.devices[0] ?? assert.fail(run?.missing.join(', ') ?? 'no run');
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
    const engine = device.terms.find(({ term }) => term === 'rollout engine')?.bytes ?? 0;
    const states = device.terms.find(({ term }) => term === 'optimizer states')?.bytes ?? 0;
    assert.ok(engine > 71 * GIB && states > 3 * GIB);
    const sum = device.terms.reduce((all, { bytes }) => all + bytes, 0);
    assert.ok(Math.abs(sum - device.device.expected) < 1);
    assert.ok(device.terms.every(({ term }) => term !== 'activations'));
  });

  it('is not a peak of its own where training takes more', async () => {
    const settings = 'vllm_gpu_memory_utilization=0.05, vllm_enable_sleep_mode=True';
    const device = await deviceOf('a.py', grpo(settings), 'H100 SXM');
    assert.notEqual(device.peakPhase, 'generation');
  });
});
