import assert from 'node:assert/strict';
import { explainOom } from '../../../src/core/output/oom/explain';
import type { OomKind } from '../../../src/core/output/oom/report';
import { readProgress } from '../../../src/core/output/progress/reader';

/** Texts of programs that no form names: the kind follows from what failed. */
const failures: readonly (readonly [kind: OomKind | null, text: string])[] = [
  ['gpu-shortage', 'safeRuntime.cpp (25) - Cuda Error in allocate: 2 (out of memory)'],
  ['gpu-shortage', 'syncedmem.cpp:56] Check failed: error == cudaSuccess (2 vs. 0)  out of memory'],
  ['gpu-shortage', 'Memory_Allocation_Failure(EL0004): Failed to allocate memory requested by GE module.'],
  ['gpu-shortage', 'ERROR: Out of GPU memory trying to allocate 2.000 GiB'],
  ['gpu-shortage', 'MemoryError: Allocation of 1.00 GB failed on CUDA. Used: 23.00 GB'],
  ['gpu-shortage', 'RESOURCE_EXHAUSTED: Ran out of memory in memory space vmem. Used 8.38G of 8.00G vmem.'],
  ['gpu-refused', 'Current platform can NOT allocate memory block with size larger than 4GB!'],
  ['host-alloc', 'OOM when allocating tensor with shape[8,9] and type float on /job:localhost/device:CPU:0'],
  ['host-alloc', 'memory allocation of 8589934592 bytes failed'],
  ['host-ram-kill', 'distributed.nanny - WARNING - Worker exceeded 95% memory budget. Restarting'],
  ['host-ram-kill', 'The exit codes of the workers are {SIGKILL(-9)}'],
  ['host-ram-kill', 'process rank 0 with PID 0 on node n1 exited on signal 9 (Killed).'],
  ['host-ram-kill', "Command '['python', 'a.py']' returned non-zero exit status 137."],
  ['host-ram-kill', 'Epoch 3\n**Killed**'],
  ['host-ram-kill', 'epoch 3\n已杀死'],
  [
    'gpu-fragmentation',
    'RESOURCE_EXHAUSTED: Attempting to allocate 31.06M. Due to fragmentation, the largest',
  ],
  [
    'gpu-refused',
    'CUDA out of memory. Tried to allocate 8.13 GiB (GPU 0; 10.76 GiB total capacity; 643 MiB already allocated; 8.20 GiB free; 32 MiB cached)',
  ],
  ['host-ram-kill', '[1]    12345 killed     python train.py'],
  ['host-ram-kill', 'srun: error: node1: task 0: Killed'],
  ['host-ram-kill', 'Error from slot1@node: Job has gone over memory limit of 4096 megabytes.'],
  ['host-alloc', 'failed to alloc 17179869184 bytes on host: CUDA_ERROR_OUT_OF_MEMORY: out of memory'],
  ['host-alloc', 'OSError: [WinError 1455] 页面文件太小,无法完成操作。'],
  ['gpu-shortage', 'RuntimeError: [malloc] Unable to allocate 3221225472 bytes.'],
  ['gpu-shortage', 'OptiX error OPTIX_ERROR_DEVICE_OUT_OF_MEMORY'],
  ['gpu-shortage', 'Training failed: GPU OOM at step 120'],
  ['gpu-shortage', '显存不足'],
  ['gpu-shortage', 'InternalError: Dst tensor is not initialized.'],
  ['gpu-shortage', 'OOM when allocating tensor of shape [5633,256] and type float'],
  ['shm', 'Fatal Python error: Bus error'],
  ['shm', 'Usage of EmptyDir volume "dshm" exceeds the limit "1Gi".'],
  ['shm', 'NCCL WARN Call to ftruncate failed : No space left on device'],
  ['disk-full', 'Pod ephemeral local storage usage exceeds the total limit of containers 10Gi.'],
  [null, 'WARNING: CUDA out of memory, retrying with smaller batch'],
  ['linux-oom-killer', 'run.scope: systemd-oomd killed 12 process(es) in this unit.'],
  ['shm', 'Failed to increase the shared memory pool size for key "region_1" to 67108928 bytes'],
  ['disk-full', 'ray.exceptions.OutOfDiskError: Local disk is full'],
  [
    null,
    'Failed to allocate CUDA memory with byte size 78 on GPU 0: CNMEM_STATUS_OUT_OF_MEMORY, falling back to pinned',
  ],
  [null, 'Tactic Device request: 2304MB Available: 1536MB. Device memory is insufficient to use tactic.'],
  [null, 'out of resource: shared memory, Required: 106496, Hardware limit: 101376'],
  [null, 'CUDA graphs can take additional memory. If you are running out of memory, decrease it'],
  [null, '(1) The process is killed by SIGKILL by OOM killer due to high memory usage. (2) ray stop'],
  [null, '"OOMKilled": false, "ExitCode": 137'],
  [null, 'the loss is 137 at exit 0, step 137'],
];

describe('words of a failure', () => {
  for (const [kind, text] of failures) {
    it(`say ${kind ?? 'nothing'}: ${text.slice(0, 50)}`, () => {
      assert.equal(explainOom(text)?.kind ?? null, kind);
    });
  }
});

describe('amounts of a failure without a form', () => {
  const amountsOf = (text: string) => {
    const { triedBytes, freeBytes, capacityBytes, processBytes } = explainOom(text)?.numbers ?? {};
    return [triedBytes, freeBytes, capacityBytes, processBytes].map(bytes => (bytes ?? 0) / 2 ** 20);
  };

  it('follow from the words around them', () => {
    assert.deepEqual(
      amountsOf('Insufficient GPU memory: required 24.0 GB, available 16 GB'),
      [24_576, 16_384, 0, 0],
    );
    assert.deepEqual(
      amountsOf('insufficient VRAM: need ~2GiB but only 1GiB free; use less'),
      [2048, 1024, 0, 0],
    );
    assert.deepEqual(amountsOf('Failed to alloc DEVICE memory: 1048576'), [1, 0, 0, 0]);
    assert.deepEqual(
      amountsOf('Available memory of 1048576 is smaller than requested bytes of 2097152'),
      [2, 1, 0, 0],
    );
    assert.deepEqual(
      amountsOf('Job has gone over memory limit of 4096 megabytes. Peak usage: 4500 megabytes.'),
      [0, 0, 4096, 4500],
    );
    assert.deepEqual(amountsOf('gpu memory not enough, need 20GB free'), [20_480, 0, 0, 0]);
  });
});

describe('a line of someone’s own', () => {
  const lastOf = (text: string) => readProgress(text).states.at(-1) ?? null;

  it('is read by the roles of its words, in any order', () => {
    assert.deepEqual(lastOf('Epoch 3/10 | loss 0.5 | lr 1e-4 | 1.5s/it | ETA 0:12:30 | mem: 12.3GB'), {
      epoch: 3,
      loss: 0.5,
      learningRate: 1e-4,
      secondsPerStep: 1.5,
      etaSeconds: 750,
      memory: [{ what: 'mem', bytes: null, stated: '12.3GB' }],
    });
    assert.deepEqual(
      lastOf('2024-01-01 - Iteration 5/9, Training loss = 1.2, grad norm = 0.5, 339.5ms/step, 3.2h left'),
      {
        step: 5,
        totalSteps: 9,
        loss: 1.2,
        gradNorm: 0.5,
        secondsPerStep: 0.3395,
        etaSeconds: 11_520,
      },
    );
  });

  it('takes the loss of training, and none of its parts', () => {
    assert.equal(lastOf('Epoch 3 | Val Loss: 0.4 | Train Loss: 0.5')?.loss, 0.5);
    assert.equal(lastOf('iter: 60, bpp_loss: 0.01, xyz_loss: 0.08, loss: 0.09, aux_loss: 8.2')?.loss, 0.09);
    assert.deepEqual(lastOf('Epoch [3/10], Batch [100/500], D Loss: 0.5, G Loss: 1.2'), {
      epoch: 3,
      step: 100,
      totalSteps: 500,
    });
    assert.equal(lastOf('step 5 | xent: 9.12; acc: 3.45')?.loss, 9.12);
  });

  it('of validation, of a checkpoint and of the best epoch is none', () => {
    assert.equal(lastOf('Validation epoch 3: loss 0.5'), null);
    assert.equal(lastOf('Loading checkpoint of step 500 with loss 0.1'), null);
    assert.equal(lastOf('Best loss 0.3 at epoch 4'), null);
  });

  it('counts in words, pairs and brackets', () => {
    const counts = (text: string) => {
      const { epoch, step, totalSteps } = lastOf(text) ?? {};
      return [epoch, step, totalSteps];
    };
    assert.deepEqual(counts('[1,  2000] loss: 0.693'), [1, 2000, undefined]);
    assert.deepEqual(counts('train - [1/100][50/782] loss 0.5'), [1, 50, 782]);
    assert.deepEqual(counts('Ep 002 | 0100/0500 | loss 0.1234'), [2, 100, 500]);
    assert.deepEqual(counts('| epoch 1 | 200/ 2983 batches | ms/batch 12.34 | loss 8.1'), [1, 200, 2983]);
    assert.deepEqual(counts('训练轮次 3, 步数 100/1000, 损失: 0.1234'), [3, 100, 1000]);
    assert.deepEqual(counts('Training loss (for one batch) at step 200: 0.5'), [undefined, 200, undefined]);
  });

  it('has rates and amounts with units in front of their numbers, behind them, or in their names', () => {
    assert.deepEqual(lastOf('step 5 | 1203.55 ms | loss 0.5 | GPU: 12.3/24.0 GB')?.memory, [
      { what: 'GPU', bytes: null, stated: '12.3GB' },
    ]);
    assert.equal(lastOf('step 5 | 1203.55 ms | loss 0.5')?.secondsPerStep, 1.20355);
    assert.equal(lastOf('epoch 1 | 2/9 batches | ms/batch 12.5 | loss 8')?.secondsPerStep, 0.0125);
    assert.equal(lastOf('step 5 loss 1.5 eta 1d 02:00:00')?.etaSeconds, 93_600);
    assert.deepEqual(lastOf('Batch 1/9: Loss = 0.5, Memory: 2GiB allocated, 4GiB reserved')?.memory, [
      { what: 'allocated', bytes: 2 ** 31 },
      { what: 'reserved', bytes: 2 ** 32 },
    ]);
  });

  it('goes on in the next line, or is a block with one value a line', () => {
    assert.deepEqual(lastOf('iters: 100, epoch: 1 | loss: 0.5\nspeed: 0.09s/iter; left time: 108.4s'), {
      epoch: 1,
      step: 100,
      loss: 0.5,
      secondsPerStep: 0.09,
      etaSeconds: 108.4,
    });
    assert.deepEqual(lastOf('- Step: 5/10 (50%)\n- Speed: ~20.5 sec/step\n- Loss: 1.25 (CE: 1.06)\nDone'), {
      step: 5,
      totalSteps: 10,
      loss: 1.25,
      secondsPerStep: 20.5,
    });
  });

  it('may be broken in two, and count bytes', () => {
    assert.equal(lastOf('Epoch 39: 100%\n75/75 [08:42<00:00, 9.52it/s, loss=1.82]')?.step, 75);
    assert.equal(
      lastOf('step:2 - actor/pg_loss:0.5 - length/cl \nip:0.1 - timing_s/step:96.5')?.secondsPerStep,
      96.5,
    );
    assert.deepEqual(lastOf('Step 11 | loss:0.5 lr:2e-05 gpu_resources:40675751424')?.memory, [
      { what: 'gpu_resources', bytes: 40_675_751_424 },
    ]);
  });

  it('may lack its counts beside what only a training has', () => {
    assert.deepEqual(lastOf('[INFO] loss: 0.5, lr: 1e-4'), { loss: 0.5, learningRate: 1e-4 });
    assert.equal(lastOf('loss weight 0.5 of the head'), null);
    assert.equal(
      lastOf("{'global_step': 20, 'step_loss': 4.5, 'grad_norm': tensor(0.3005)}")?.gradNorm,
      0.3005,
    );
  });

  it('says how long a step took, and may lack the time left', () => {
    assert.equal(lastOf('step 11: train loss 4.22 (took 102 ms)')?.secondsPerStep, 0.102);
    assert.equal(lastOf('Epoch 12/300, Step 7/7, loss: 0.2, cur_lr: 0.024')?.learningRate, 0.024);
    const { epoch, loss, memory } =
      lastOf('Epoch: [2]  [30/1504]  lr: 0.01  closs: 0.9175 (0.92)  time: 4.58  max mem: 51710') ?? {};
    assert.deepEqual([epoch, loss, memory?.[0]?.what], [2, 0.9175, 'max mem']);
  });

  it('states memory by the name above it', () => {
    const row = '     5/249    0.868G   0.06393   0.01588        36       640: 100%|█| 211/211 [00:48<00:00]';
    assert.equal(lastOf(`Epoch   gpu_mem       box\n${row}`)?.memory?.[0]?.what, 'gpu_mem');
    assert.equal(lastOf(`Epoch   GPU_mem       box\n${row}`)?.memory?.[0]?.what, 'GPU_mem');
  });

  it('is of the epoch that a line says has begun', () => {
    const begun = 'INFO  epoch is incremented. current_epoch: 4, epoch: 5      train_util.py:779';
    const bar = 'steps:   6%|█   | 205/3280 [04:07<1:01:47,  1.21s/it, avr_loss=0.1]';
    assert.equal(lastOf(`${begun}\n${bar}`)?.epoch, 5);
  });

  it('may be beside a bar', () => {
    assert.equal(lastOf('Epoch 1 loss: 0.5:  10%|█   | 1/10 [00:10<01:30,  1.0it/s]')?.loss, 0.5);
    assert.equal(lastOf('Train: 100%|███| 94/94 [00:45<00:00] loss: 0.25 acc: 89.2%')?.loss, 0.25);
    const beside = lastOf(' 12%|█▏  | 12/100 [00:10<01:30,  1.1it/s, loss=1.2, tok/s=1.5k, mem=2.5GiB]');
    assert.equal(beside?.tokensPerSecond, 1500);
    assert.deepEqual(beside.memory, [{ what: 'mem', bytes: 2.5 * 2 ** 30 }]);
  });

  it('names an epoch in other languages', () => {
    assert.equal(lastOf('ÉPOCA 2/5\n100%|███| 352/352 [37:30<00:00,  6.39s/it, loss=0.429]')?.epoch, 2);
    assert.equal(lastOf('Époque 3/10 - loss: 0.5')?.epoch, 3);
  });

  it('tells a unit from the name of the next number', () => {
    assert.deepEqual(lastOf('steps: 4 loss: 0.1193 iter time (s): 533.263 samples/sec: 0.008'), {
      step: 4,
      loss: 0.1193,
      secondsPerStep: 533.263,
      samplesPerSecond: 0.008,
    });
  });

  it('may count in front of its words, and lose its loss', () => {
    assert.deepEqual(lastOf('003 epoch, 06000 iter, average time 0.6607, loss 1.5'), {
      epoch: 3,
      step: 6000,
      loss: 1.5,
    });
    assert.deepEqual(lastOf('iter 3060: loss nan, time 1018.23ms, mfu 15.11%'), {
      step: 3060,
      secondsPerStep: 1.018_23,
    });
  });

  it('counts samples as no steps', () => {
    assert.deepEqual(lastOf('Train Epoch: 3 [640/60000 (1%)]	Loss: 0.123456'), { epoch: 3, loss: 0.123456 });
  });
});

describe('a table', () => {
  const lastOf = (text: string) => readProgress(text).states.at(-1) ?? null;

  it('is read by its heading, whatever rules it', () => {
    const ruled =
      '| Iteration | Loss | Elapsed |\n+---+---+---+\n| 6 | 5.62 | 5.84s |\n| 10 | 5.40 | 9.41s |\n+---+';
    assert.deepEqual(lastOf(ruled), { step: 10, loss: 5.4 });
    assert.deepEqual(
      lastOf('epoch     train_loss  valid_loss  time\n1         0.4         0.39        00:12\n'),
      {
        epoch: 1,
        loss: 0.4,
      },
    );
    assert.deepEqual(lastOf('epoch,loss,val_loss\n0,0.5,0.6\n'), { epoch: 0, loss: 0.5 });
  });

  it('without a counter or a loss in its heading is none', () => {
    assert.equal(lastOf('| name | loss |\n| 6 | 5.62 |\n'), null);
    assert.equal(lastOf('6, 5.62, 3\n'), null);
  });
});

describe('the loss of a line', () => {
  it('may have a name of its own if it is the only one', () => {
    assert.equal(
      readProgress('Train Epoch: 0/9 Step: 10/965 | lr 5e-04 || Mask_Loss 1.6\n').states.at(-1)?.loss,
      1.6,
    );
    assert.equal(readProgress('[epoch]: 199, [batch]: 24000, [loss]: 4.85\n').states.at(-1)?.loss, 4.85);
  });
});

describe('a record in several lines', () => {
  const lastOf = (text: string) => readProgress(text).states.at(-1) ?? null;

  it('may be Megatron’s, broken behind its bars', () => {
    const text = ` iteration 1000/5000 | consumed samples: 8000 | elapsed time per iteration (ms):  283.9 |
 learning rate: 4.6E-05 | global batch size: 8 | lm loss: 5.54 | loss scale: 65536.0 |
 grad norm: 2.475 | number of skipped
iterations: 0 | number of nan iterations: 0 |
saving checkpoint`;
    assert.deepEqual(lastOf(text), {
      step: 1000,
      totalSteps: 5000,
      secondsPerStep: 0.2839,
      learningRate: 4.6e-5,
      loss: 5.54,
      gradNorm: 2.475,
    });
  });

  it('may be verl’s, a metric a line', () => {
    const text = `Training:
- training/global_step: 7
- actor/loss: 0.03
- actor/perf/max_memory_allocated_gb: 9.5
- timing_s/step: 20.43
`;
    assert.deepEqual(lastOf(text), {
      step: 7,
      loss: 0.03,
      secondsPerStep: 20.43,
      memory: [{ what: 'max_memory_allocated_gb', bytes: 9.5 * 2 ** 30 }],
    });
  });

  it('goes on behind the bar of an evaluation', () => {
    const text = `{'loss': '0.033', 'learning_rate': '7.4e-06', 'epoch': '4.172', 'global_step/max_steps': '50/60', 'memory(GiB)': '14.3'}
Val: 100%|██████████| 8/8 [00:15<00:00,  1.91s/it]
{'eval_loss': '0.034', 'epoch': '4.172', 'global_step/max_steps': '50/60', 'memory(GiB)': '14.3'}
`;
    const { step, loss, epoch, learningRate } = lastOf(text) ?? {};
    assert.deepEqual([step, loss, epoch, learningRate], [50, 0.033, 4.172, 7.4e-6]);
  });
});

describe('the memory of MetricLogger', () => {
  it('counts 2^20 bytes without a unit', () => {
    const [of = null] = readProgress('iter: 8  loss: 10.4 (10.5)  max mem: 7738').states.at(-1)?.memory ?? [];
    assert.deepEqual(of, { what: 'max mem', bytes: 7738 * 2 ** 20 });
  });
});
