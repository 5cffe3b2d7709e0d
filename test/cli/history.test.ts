import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { file, folder, headroom, inTemporaryFolder } from './headroom';

inTemporaryFolder();

const history = (...args: readonly string[]): ReturnType<typeof headroom> => headroom('history', ...args);

const ARGUMENTS = {
  model: 'Qwen/Qwen2.5-0.5B-Instruct',
  train_type: 'lora',
  lora_rank: 8,
  target_modules: ['all-linear'],
  torch_dtype: 'bfloat16',
  dataset: ['data.jsonl'],
  per_device_train_batch_size: 1,
  gradient_accumulation_steps: 16,
  max_length: 2048,
  gradient_checkpointing: true,
};

/** A run of ms-swift as it logs it. */
function pastRun(name: string): void {
  mkdirSync(join(folder(), name), { recursive: true });
  const line = { loss: 2, 'global_step/max_steps': '10/20', 'memory(GiB)': 3.5, 'train_speed(iter/s)': 0.5 };
  file(`${name}/logging.jsonl`, `${JSON.stringify(line)}\n`);
  file(`${name}/args.json`, JSON.stringify(ARGUMENTS));
}

const stored = (): readonly string[] =>
  readFileSync(join(folder(), '.headroom/measurements.jsonl'), 'utf8').trim().split('\n');

describe('headroom history', () => {
  it('lists past runs beside the prediction, stores them on request, and each only once', () => {
    pastRun('out/v0');
    const listed = history('out', '--json');
    assert.equal(listed.code, 0, listed.err);
    const { runs } = JSON.parse(listed.out) as {
      readonly runs: readonly { readonly run: string; readonly memory: readonly Record<string, unknown>[] }[];
    };
    assert.deepEqual(
      runs.map(({ run }) => run),
      ['v0'],
    );
    const [peak = {}] = runs[0]?.memory ?? [];
    assert.equal(peak['bytes'], 3.5 * 2 ** 30);
    assert.equal(typeof peak['predicted'], 'number');
    assert.match(listed.err, /^Nothing is kept yet\. Add --keep to store 1 measurement\./);
    assert.match(history('out', '--keep').err, /^Stored 1 in /);
    assert.match(history('out', '--keep').err, /^All of them are stored already in /);
    assert.equal(stored().length, 1);
    const explained = headroom('explain', 'out/v0/args.json', '--gpu', '24GB');
    assert.match(explained.out, /Measured, torch reserved \(the run’s own log, 20/);
  });

  it('stores only the runs that are named', () => {
    pastRun('out/v0');
    pastRun('out/v1');
    const listed = history('out', '--json', '--only=v1');
    const { runs } = JSON.parse(listed.out) as { readonly runs: readonly Record<string, unknown>[] };
    assert.deepEqual(
      runs.map(({ run, keeps }) => [run, keeps]),
      [['v1', 1]],
    );
    assert.match(history('out', '--keep', '--only=v1').err, /^Stored 1 in /);
    assert.equal(stored().length, 1);
    const unknown = history('out', '--keep', '--only=v2');
    assert.equal(unknown.code, 3);
    assert.match(unknown.err, /v2: no such run/);
  });

  it('takes the config that the user names for logs without one', () => {
    pastRun('out');
    mkdirSync(join(folder(), 'logs'));
    file('logs/sacct.txt', 'JobID|AllocTRES|TRESUsageInMax|\n7|gres/gpu:l4=1||\n7.0||gres/gpumem=6G|\n');
    assert.match(history('logs').out, /1 run logged no config that Headroom can read/);
    assert.match(history('logs', '--config', 'out/args.json', '--keep').err, /^Stored 1 in /);
    const [line = ''] = stored();
    const { gpu, bytes, metric } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    assert.deepEqual([gpu, bytes, metric], ['NVIDIA L4', 6 * 2 ** 30, 'device']);
  });

  it('follows no links, and says what it needs', () => {
    pastRun('elsewhere');
    mkdirSync(join(folder(), 'logs'));
    symlinkSync(join(folder(), 'elsewhere'), join(folder(), 'logs/linked'));
    const { code, out } = history('logs');
    assert.equal(code, 3);
    assert.match(out, /^No logs of runs found\./);
    assert.match(history('nowhere').err, /^nowhere: not a folder\. Give the folder that has the logs\./);
    assert.match(history('logs', '--run', 'a').err, /^--run needs --config/);
  });
});
