import assert from 'node:assert/strict';
import { read } from './support';

async function partOf(text: string, path: string) {
  const { dialect, runs } = await read({ [path]: text });
  const [run] = runs;
  assert.ok(run && runs.length === 1);
  assert.equal(run.role, 'part');
  return { dialect, q: run.quantities };
}

describe('a DeepSpeed file opened alone', () => {
  it('says what it says', async () => {
    const { dialect, q } = await partOf(
      '{"train_batch_size": 32, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 4,' +
        ' "bf16": {"enabled": true}, "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}}',
      'ds.json',
    );
    assert.equal(dialect, 'deepspeed');
    assert.deepEqual([q.zeroStage.value, q.precision.value, q.microBatchSize.value], [2, 'bf16', 4]);
    assert.deepEqual(q.offload.value, { param: 'none', optimizer: 'cpu' });
    // All three batch numbers are given, so the GPUs follow.
    assert.equal(q.gpus.value, 2);
    assert.equal(q.effectiveBatch.value, 32);
  });

  it('leaves auto to the trainer', async () => {
    const { q } = await partOf(
      '{"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "bf16": {"enabled": "auto"}}',
      'ds.json',
    );
    const why = (name: 'microBatchSize' | 'precision'): unknown =>
      q[name].origin.kind === 'unresolved' && q[name].origin.why;
    assert.equal(why('microBatchSize'), 'train_micro_batch_size_per_gpu is auto: the trainer fills it in.');
    assert.equal(why('precision'), 'bf16.enabled is auto: the trainer fills it in.');
    assert.equal(q.zeroStage.value, 0);
  });
});

describe('an accelerate file opened alone', () => {
  it('says how a run is spread', async () => {
    const { dialect, q } = await partOf(
      'distributed_type: FSDP\nnum_machines: 2\nnum_processes: 16\nmixed_precision: bf16\nfsdp_config:\n' +
        '  fsdp_version: 2\n  fsdp_reshard_after_forward: false\n  fsdp_offload_params: true\n',
      'acc.yaml',
    );
    assert.equal(dialect, 'accelerate');
    assert.deepEqual([q.gpus.value, q.nodes.value, q.devices.value], [16, 2, 8]);
    assert.deepEqual(q.fsdp.value, {
      version: 2,
      strategy: 'SHARD_GRAD_OP',
      offloadParams: true,
      activationCheckpointing: false,
    });
    assert.deepEqual(q.offload.value, { param: 'cpu', optimizer: 'cpu' });
    assert.equal(q.zeroStage.value, null);
  });

  it('takes ZeRO-2 for granted under DeepSpeed', async () => {
    const { q } = await partOf(
      'distributed_type: DEEPSPEED\nnum_processes: -1\ndeepspeed_config: {}\n',
      'acc.yaml',
    );
    assert.equal(q.zeroStage.value, 2);
    assert.equal(q.zeroStage.origin.kind, 'default');
    assert.equal(q.gpus.value, null);
  });

  it('is one process without distribution', async () => {
    const { q } = await partOf("distributed_type: 'NO'\nnum_processes: 8\n", 'acc.yaml');
    assert.equal(q.gpus.value, 1);
  });
});
