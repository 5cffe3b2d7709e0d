import assert from 'node:assert/strict';
import { explainOom } from '../../../src/core/output/oom/explain';
import { readProgress } from '../../../src/core/output/progress/reader';
import type { ProgressState } from '../../../src/core/output/progress/progress';

const lastOf = (text: string): ProgressState | undefined => readProgress(text).states.at(-1);

describe('lines of less common trainers', () => {
  const short = (text: string) => {
    const { step, totalSteps, epoch, loss, learningRate } = lastOf(text) ?? {};
    return [step, totalSteps, epoch, loss, learningRate];
  };

  it('end with an evaluation that has no step of training', () => {
    const keras = `Epoch 10/10
50000/50000 [==============================] - 89s 2ms/sample - loss: 0.3560 - accuracy: 0.8794
10000/10000 [==============================] - 8s 823us/sample - loss: 1.1442 - accuracy: 0.6635
`;
    const bars = `epoch 10
100%|██████████| 625/625 [00:06<00:00, 98.00it/s]
100%|██████████| 157/157 [00:00<00:00, 352.91it/s]
`;
    assert.deepEqual(
      [short(keras), short(bars)],
      [
        [50_000, 50_000, 10, 0.356, undefined],
        [625, 625, 10, undefined, undefined],
      ],
    );
  });

  it('are a box of names and numbers', () => {
    const text = `| time/               |          |
|    iterations       | 10       |
|    total_timesteps  | 20480    |
| train/              |          |
|    learning_rate    | 0.0003   |
|    loss             | 8.16     |
|    value_loss       | 36.1     |
----------------------------------
`;
    assert.deepEqual(short(text), [20_480, undefined, undefined, 8.16, 0.0003]);
  });

  it('shorten counts, and count episodes beside epochs', () => {
    const text = 'step:10K smpl:80K ep:291 epch:3.64 loss:0.061 grdn:3.2 lr:1.0e-05 updt_s:0.799';
    assert.deepEqual(short(text), [10_000, undefined, 3.64, 0.061, 1e-5]);
  });

  it('name the best epoch, which is not the last', () => {
    assert.equal(lastOf('9 Dice : 88.48  Val Loss : 0.39  Best epoch : 8  Train Loss : 0.3708'), undefined);
  });

  it('say each loss of an epoch below its heading', () => {
    const text = 'Epoch 8/8\n  Examples/second (train): 8182\n  Train loss: 0.6939\n';
    assert.deepEqual(short(text), [undefined, undefined, 8, 0.6939, undefined]);
  });

  it('are the average of an epoch, with its name before each value', () => {
    const text =
      'INFO | train | {"epoch": 1, "train_loss": "19.351", "train_num_updates": "10", "train_lr": "0.5", "train_wall": "804"}';
    assert.deepEqual(short(text), [10, undefined, 1, 19.351, 0.5]);
  });

  it('say which time remains, and an inference is none of a step', () => {
    const text = '| Train Device=CSX, Step=200, Loss=8.01, Rate=44.77 samples/sec, TimeRemaining=0:14:01';
    assert.equal(lastOf(text)?.etaSeconds, 841);
    assert.equal(lastOf('Speed: 0.6ms pre-process, 4.4ms inference, 2.9ms NMS per image'), undefined);
  });

  it('have a rate of learning or of pictures beside what their form states', () => {
    const deit = '{"train_lr": 5.7e-05, "train_loss": 3.17, "epoch": 259, "n_parameters": 11590840}';
    assert.equal(lastOf(deit)?.learningRate, 5.7e-5);
    const pictures =
      'Epoch: [0]  [ 109/5005]  eta: 4:40:12  lr: 0.1  img/s: 14.93  loss: 6.8 (6.9)  time: 2.62  data: 0.001';
    assert.equal(lastOf(pictures)?.samplesPerSecond, 14.93);
  });

  it('have microseconds, or the count of steps before the epoch', () => {
    const keras = '178/178 [==============================] - 0s 77us/step - loss: 0.0302 - acc: 0.0056';
    assert.equal(lastOf(keras)?.secondsPerStep, 0.000_077);
    const counted = '290/446 (epoch 0), train_loss = 2.098, time/batch = 0.163';
    assert.deepEqual(short(counted), [290, 446, 0, 2.098, undefined]);
  });

  it('count epochs and steps in wide brackets, and pictures as im/s', () => {
    const wide = '| [   2/   3][   500/  1000] |   67/1932 batches | train_loss 1.577e-01 | lr 2.77e-05';
    assert.deepEqual(short(wide), [500, 1000, 2, 0.1577, 2.77e-5]);
    const parts = '[ 2445/30000] focal loss: 1.053, box loss: 0.345, 31.3 im/s, lr: 0.0005';
    assert.deepEqual(
      [...short(parts), lastOf(parts)?.samplesPerSecond],
      [2445, 30_000, undefined, undefined, 0.0005, 31.3],
    );
  });

  it('are statistics of Detectron, with seconds and MiB', () => {
    const text =
      '{"eta": "1 day, 13:30:44",\n "iter": 120000,\n "loss": 0.56,\n "lr": 0.01,\n "mem": 6407,\n "time": 0.562685}';
    const { secondsPerStep, memory } = lastOf(text) ?? {};
    assert.deepEqual([secondsPerStep, memory?.[0]?.bytes], [0.562_685, 6407 * 2 ** 20]);
  });

  it('end in an exception of detectron2', () => {
    assert.ok(readProgress('ERROR [12/20 18:16:20 d2.engine.train_loop]: Exception during training:').failed);
  });

  it('have seconds instead of milliseconds', () => {
    const text = 'iteration 7/ 9 | elapsed time per iteration (s): 15.23 | lm loss: 5.4E+00 |';
    assert.equal(lastOf(text)?.secondsPerStep, 15.23);
  });
});

describe('the total of what a program allocates', () => {
  it('is no capacity of the GPU', () => {
    const text = `jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4770354232 bytes.
BufferAssignment stats:
                 total allocation:   14.44GiB
              total fragmentation:  680.30MiB (4.60%)
`;
    assert.equal(explainOom(text)?.numbers.capacityBytes, null);
  });
});

describe('the number of a device in a failure', () => {
  it('stands behind the name of any backend', () => {
    const text =
      'ValueError: Free memory on device xpu:1 (0.0/60.79 GiB) on startup is less than desired GPU memory utilization (0.9, 54.71 GiB)';
    assert.deepEqual(
      [explainOom(text)?.numbers.gpuIndex, explainOom(text)?.numbers.capacityBytes],
      [1, Math.round(60.79 * 2 ** 30)],
    );
  });
});
