import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LogLine } from '../../../src/core/data/forms/line';
import { dialects } from '../../../src/core/dialects/registry';
import { forms } from '../../../src/core/data/forms/all';
import { readProgress } from '../../../src/core/output/progress/reader';
import type { ProgressState } from '../../../src/core/output/progress/progress';
import { compareOom } from '../../eval/logs/oom';
import type { OomRecord } from '../../eval/logs/oom';
import { compareProgress } from '../../eval/logs/progress';
import type { ProgressRecord } from '../../eval/logs/progress';
import { jsonLines } from '../../eval/toolArguments';

const lastOf = (text: string): ProgressState | undefined => readProgress(text).states.at(-1);

describe('lines of output', () => {
  for (const { pattern, fields, memory = {}, example, source } of forms) {
    it(`${source}: ${[...fields, ...Object.keys(memory)].join(', ')}`, () => {
      const groups = Object.entries<string | undefined>(new RegExp(pattern).exec(example)?.groups ?? {});
      const stated = groups.filter(([, text]) => text !== undefined).map(([name]) => name.replace(/\d$/, ''));
      assert.deepEqual(new Set(stated), new Set([...fields, ...Object.keys(memory)]));
    });
  }

  it('of an epoch may have a loss without a time', () => {
    assert.deepEqual(lastOf('Epoch: [2][511/1736]\t Loss 0.5117 MAE 0.6075 RMSE 0.7153\n'), {
      step: 511,
      totalSteps: 1736,
      epoch: 2,
      loss: 0.5117,
    });
  });

  it('of one step are one state', () => {
    const text = [
      '  2%|█▋    | 5/300 [00:26<25:00,  5.09s/it]',
      "{'loss': 1.4229, 'grad_norm': 0.77, 'learning_rate': 4.9e-05, 'epoch': 0.17}",
      "{'loss': '1.4229', 'epoch': '0.17', 'throughput': 1828.21}",
    ].join('\n');
    assert.deepEqual(lastOf(text), {
      step: 5,
      totalSteps: 300,
      secondsPerStep: 5.09,
      etaSeconds: 1500,
      loss: 1.4229,
      gradNorm: 0.77,
      learningRate: 4.9e-5,
      epoch: 0.17,
      tokensPerSecond: 1828.21,
    });
  });

  it('of the next step begin a state of their own', () => {
    const text = ' iteration 1/ 9 | lm loss: 2.0E+00 |\n iteration 2/ 9 | learning rate: 1.0E-4 |\n';
    assert.deepEqual(readProgress(text).states, [
      { step: 1, totalSteps: 9, loss: 2 },
      { step: 2, totalSteps: 9, learningRate: 1e-4 },
    ]);
  });

  it('that a carriage return draws again count once', () => {
    const text =
      '\r  0%|  | 0/4 [00:00<?, ?it/s]\r 25%|█ | 1/4 [00:02<00:06,  2.0s/it]\r 50%|██| 2/4 [00:04<00:04,  2.0s/it]';
    assert.deepEqual(readProgress(text).states, [
      { step: 2, totalSteps: 4, secondsPerStep: 2, etaSeconds: 4 },
    ]);
  });

  it('of loading, capturing and validating are no steps', () => {
    const text = [
      'Loading safetensors checkpoint shards: 100% Completed | 1/1 [00:00<00:00,  4.32it/s]',
      'Capturing CUDA graphs: 100%|███| 67/67 [00:04<00:00, 15.28it/s]',
      'Validation: 100%|███| 40/40 [00:04<00:00, 15.28it/s]',
      'model.safetensors: 100%|███| 4/4 [00:10<00:00, 493MB/s]',
    ].join('\n');
    assert.deepEqual(readProgress(text).states, []);
  });

  it('that are torn apart are put together', () => {
    const text = "{'loss': 1.5,\n 'learning_rate': 1e-05,\n 'epoch': 0.5}";
    assert.deepEqual(lastOf(text), { loss: 1.5, learningRate: 1e-5, epoch: 0.5 });
  });

  it('of verl and torchtune state their memory in any release', () => {
    const gib = (what: string, amount: number) => ({ what, bytes: Math.round(amount * 2 ** 30) });
    const memoryOf = (text: string) => lastOf(text)?.memory;
    assert.deepEqual(
      memoryOf(
        '(WorkerDict pid=13908) After building vllm rollout, memory allocated (GB): 55.34482717514038, memory reserved (GB): 61.265625',
      ),
      [gib('memory allocated', 55.34482717514038), gib('memory reserved', 61.265625)],
    );
    assert.deepEqual(
      memoryOf(
        'step:3 - actor/pg_loss:np.float64(0.5) - perf/max_memory_allocated_gb:np.float64(41.25) - perf/cpu_memory_used_gb:130.5',
      ),
      [gib('max_memory_allocated_gb', 41.25), gib('cpu_memory_used_gb', 130.5)],
    );
    assert.deepEqual(memoryOf('  GPU peak memory reserved: 13.98 GB'), [
      { what: 'peak reserved', bytes: 13_980_000_000 },
    ]);
    assert.deepEqual(
      lastOf(
        'training/global_step: 1\nactor/grad_norm: 0.21\nactor/perf/max_memory_allocated_gb: 9.5\nactor/perf/max_memory_reserved_gb: 13.5\n',
      ),
      {
        step: 1,
        gradNorm: 0.21,
        memory: [gib('max_memory_allocated_gb', 9.5), gib('max_memory_reserved_gb', 13.5)],
      },
    );
    assert.deepEqual(memoryOf('Step 1  | loss:2.26 ... peak_memory_alloc:4.5'), [
      gib('peak_memory_alloc', 4.5),
    ]);
  });

  it('without a number state nothing', () => {
    assert.deepEqual(lastOf("{'loss': nan, 'learning_rate': 1e-05, 'epoch': 0.5}"), {
      learningRate: 1e-5,
      epoch: 0.5,
    });
  });

  it('say durations in any way', () => {
    const etaOf = (eta: string): number | undefined =>
      lastOf(`5%|█| 5/100 [00:10<${eta}, 2.0s/it]`)?.etaSeconds;
    assert.equal(etaOf('1573:03:24'), 1573 * 3600 + 204);
    assert.equal(etaOf('1 day, 11:14:26'), 35 * 3600 + 866);
    assert.equal(etaOf('?'), undefined);
    assert.equal(lastOf(' 16/400 [>......] - ETA: 892s - loss: 0.6937\n')?.etaSeconds, 892);
    const own = lastOf('{"progress":1.3,"loss":3.21,"lr":0.05,"eta":"0h3m"}\n');
    assert.deepEqual([own?.loss, own?.learningRate, own?.etaSeconds], [3.21, 0.05, 180]);
  });
});

describe('the end of an output', () => {
  const ends = (text: string): readonly boolean[] => [readProgress(text).finished, readProgress(text).failed];

  it('is told by the program', () => {
    assert.deepEqual(ends("{'train_runtime': 159.06, 'train_loss': 0.3}"), [true, false]);
    assert.deepEqual(ends('100%|███| 4/4 [14:32<00:00, 218.03s/it]'), [false, false]);
  });

  it('is a failure where it breaks off', () => {
    assert.deepEqual(ends('Traceback (most recent call last):\n  File "train.py"'), [false, true]);
    assert.deepEqual(ends('RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB'), [false, true]);
  });
});

const shared = process.env['HEADROOM_SHARED'] ?? '../shared';
const [oom, progress] = [join(shared, 'logs/oom.jsonl'), join(shared, 'logs/progress.jsonl')];

/** The dialects of the programs whose output the reference files under each name. */
const DIALECTS: Readonly<Record<string, string>> = {
  transformers: 'hf-trainer',
  trl: 'hf-trl',
  'ms-swift': 'ms-swift',
  'llama-factory': 'llamafactory',
  'deepspeed-chat': 'deepspeed',
  megatron: 'megatron-bridge',
  nemo: 'nemo-megatron',
  vllm: 'vllm',
  'vllm-unsloth': 'unsloth-cli',
  sglang: 'sglang',
  detectron2: 'detectron2',
  ultralytics: 'ultralytics',
  timm: 'timm',
  fairseq: 'fairseq',
  espnet: 'espnet',
  speechbrain: 'speechbrain',
  lightning: 'lightning-cli',
  composer: 'composer',
  'llm-foundry': 'llm-foundry',
  torchtune: 'torchtune',
  maxtext: 'maxtext',
  verl: 'verl',
};

const linesOf = (framework: string): readonly LogLine[] =>
  dialects.find(({ id }) => id === DIALECTS[framework])?.logs ?? [];

/** The minimum that must be read from the reference's outputs. */
describe('real outputs', () => {
  before(function () {
    if (!existsSync(oom) || !existsSync(progress)) this.skip();
  });

  it('of programs that ran out of memory are told apart, without a false alarm', () => {
    const { texts, kindRight, numbers, numbersRight, falseAlarms } = compareOom(
      jsonLines(oom) as OomRecord[],
    );
    assert.equal(falseAlarms, 0);
    assert.ok(kindRight >= 0.95 * texts && numbersRight >= 0.97 * numbers);
  });

  it('of trainings are read', () => {
    const { fields, right } = compareProgress(jsonLines(progress) as ProgressRecord[]);
    assert.ok(right >= 0.95 * fields);
  });

  it("of training runs are read, including their dialect's lines", () => {
    const { fields, right, wrong } = compareProgress(jsonLines(progress) as ProgressRecord[], linesOf);
    assert.ok(right >= 0.95 * fields, JSON.stringify(wrong));
  });
});
