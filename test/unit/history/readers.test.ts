import assert from 'node:assert/strict';
import { eventOf, runsOf, tfRecordsOf, wandbLogOf } from './support';

const GIB = 2 ** 30;

const config = { model_type: 'qwen2', _name_or_path: 'Qwen/Qwen2.5-0.5B', per_device_train_batch_size: 2 };

describe('logs of past runs', () => {
  it('reads GPU, peak, time and config of a wandb run from its files and its transaction log', async () => {
    const at = 'wandb/run-20260301_101500-abc/';
    const [run, ...others] = await runsOf({
      [`${at}files/wandb-summary.json`]: '{"train/global_step": 60, "train_steps_per_second": 0.5}',
      [`${at}files/wandb-metadata.json`]: JSON.stringify({
        gpu: 'NVIDIA A100-SXM4-40GB',
        gpu_count: 2,
        gpu_nvidia: [{ name: 'NVIDIA A100-SXM4-40GB', memoryTotal: '42949672960' }],
        startedAt: '2026-03-01T09:15:00.5Z',
      }),
      [`${at}files/config.yaml`]:
        'wandb_version: 1\n_wandb:\n  value: {m: []}\nper_device_train_batch_size:\n  desc: null\n  value: 4\n',
      [`${at}files/requirements.txt`]: 'numpy==2.0\ntorch==2.6.0+cu124\n',
      [`${at}run-abc.wandb`]: wandbLogOf([
        { 'gpu.0.memoryAllocatedBytes': 9 * GIB, 'gpu.1.memoryAllocatedBytes': 2 * GIB },
        { 'gpu.0.memoryAllocatedBytes': 7 * GIB, 'gpu.1.memoryAllocatedBytes': 8 * GIB },
      ]),
    });
    assert.ok(run);
    assert.deepEqual(others, []);
    assert.deepEqual(run.gpu, { name: 'NVIDIA A100-SXM4-40GB', totalMiB: 40_960, count: 2 });
    assert.deepEqual(run.peaks, [{ metric: 'device', bytes: 9 * GIB, devices: [9 * GIB, 8 * GIB] }]);
    assert.equal(run.speed?.secondsPerStep, 2);
    assert.equal(run.steps, 60);
    assert.equal(run.atMs, Date.UTC(2026, 2, 1, 9, 15, 0, 500));
    assert.deepEqual(JSON.parse(run.configs[0]?.text ?? ''), { per_device_train_batch_size: 4 });
    assert.deepEqual(run.versions, { torch: '2.6.0+cu124' });
  });

  it('prefers the memory of the process to that of the card, and reads records that span blocks', async () => {
    const peak = (name: string, gib: number): Readonly<Record<string, number>> => ({ [name]: gib * GIB });
    const [run] = await runsOf({
      'wandb/offline-run-20260301_101500-x/run-x.wandb': wandbLogOf(
        [peak('gpu.0.memoryAllocatedBytes', 30), peak('gpu.process.0.memoryAllocatedBytes', 11)],
        70_000,
      ),
    });
    assert.deepEqual(run?.peaks, [{ metric: 'device', bytes: 11 * GIB }]);
  });

  it('times steps of a wandb run by the rows of its history, whatever its id', async () => {
    const row = (step: number): Readonly<Record<string, number>> => ({
      'train/global_step': step,
      _timestamp: 1_700_000_000 + step * 3,
    });
    const [run] = await runsOf({
      'wandb/run-20260301_101500-my-own-id/run-my-own-id.wandb': wandbLogOf(
        [row(10), row(20), row(30), row(40), row(50)],
        0,
        'history',
      ),
    });
    assert.equal(run?.speed?.secondsPerStep, 3);
    assert.equal(run.steps, 50);
  });

  it('times steps of an MLflow run by the epochs that trainers log with their steps', async () => {
    const lines = (of: (step: number) => number): string =>
      [10, 20, 30, 40, 50].map(step => `${1_700_000_000_000 + step * 500} ${of(step)} ${step}\n`).join('');
    const at = 'mlruns/0/abc';
    const meta = 'run_id: abc\nstart_time: 1700000000000\n';
    const [run] = await runsOf({
      [`${at}/meta.yaml`]: meta,
      [`${at}/metrics/epoch`]: lines(step => step / 100),
      [`${at}/metrics/loss`]: lines(() => 1),
    });
    assert.equal(run?.speed?.secondsPerStep, 0.5);
    assert.equal(run.steps, 50);
    const [other] = await runsOf({ [`${at}/meta.yaml`]: meta, [`${at}/metrics/loss`]: lines(() => 1) });
    assert.equal(other?.speed, null);
  });

  it('takes the bar of the training among bars of loading and evaluating', async () => {
    const text =
      '100%|██████████| 1000000/1000000 [00:02<00:00, 384324.05it/s]\n' +
      '100%|██████████| 200/200 [00:27<00:00,  7.38it/s]\n' +
      '100%|██████████| 100/100 [07:14<00:00,  4.35s/it]\n' +
      '100%|██████████| 200/200 [00:27<00:00,  7.19it/s]\n';
    const cells = [{ cell_type: 'code', source: 'x', outputs: [{ output_type: 'stream', text }] }];
    const [run] = await runsOf({ 'train.ipynb': JSON.stringify({ nbformat: 4, cells }) });
    assert.equal(run?.speed?.secondsPerStep, 4.35);
  });

  it('takes the rate of a bar that was stopped after seconds', async () => {
    const html = '<progress value="6"></progress> [    6/15625 00:02 < 3:08:05, 1.25 it/s, Epoch 0.00/1]';
    const cells = [
      {
        cell_type: 'code',
        source: 'x',
        outputs: [{ output_type: 'display_data', data: { 'text/html': html } }],
      },
    ];
    const [run] = await runsOf({ 'train.ipynb': JSON.stringify({ nbformat: 4, cells }) });
    assert.equal(run?.speed?.secondsPerStep, 0.8);
  });

  it('counts a copy of latest-run once', async () => {
    const metadata = '{"startedAt": "2026-03-01T09:15:00Z"}';
    const runs = await runsOf({
      'wandb/latest-run/files/wandb-metadata.json': metadata,
      'wandb/run-20260301_101500-x/files/wandb-metadata.json': metadata,
    });
    assert.deepEqual(
      runs.map(({ run }) => run),
      ['wandb/run-20260301_101500-x'],
    );
  });

  it('takes the time of a step from TensorBoard, without the pauses for evaluating', async () => {
    const times = [0, 20, 40, 160, 180, 200];
    const events = times.map((second, i) =>
      eventOf(1_770_000_000 + second, 10 * (i + 1), { 'train/loss': 1, 'train/learning_rate': 1e-4 }),
    );
    const [run] = await runsOf({
      'out/runs/Mar01/events.out.tfevents.1770000000.host.1.0': tfRecordsOf([
        eventOf(1_770_000_000, 0, {
          'args/text_summary': '{"bf16": true}',
          'model_config/text_summary': JSON.stringify(config),
        }),
        ...events,
      ]),
      'out/trainer_state.json':
        '{"global_step": 60, "log_history": [{"train_steps_per_second": 0.2, "step": 60}]}',
    });
    assert.deepEqual(run?.readers.toSorted(), ['tensorboard', 'trainer-state']);
    assert.equal(run.speed?.secondsPerStep, 2);
    assert.equal(run.steps, 60);
    const logged = JSON.parse(
      run.configs.find(({ path }) => path.endsWith('args.json'))?.text ?? '',
    ) as unknown;
    assert.deepEqual(logged, {
      model_type: 'qwen2',
      per_device_train_batch_size: 2,
      bf16: true,
      model_name_or_path: 'Qwen/Qwen2.5-0.5B',
    });
  });

  it('passes over a time that no calendar has', async () => {
    const events = tfRecordsOf([1, 2, 3].map(step => eventOf(1e300, step, { loss: 1 })));
    const [run] = await runsOf({ 'tb/events.out.tfevents.1700000000.host.1.0': events });
    assert.equal(run?.atMs, null);
  });

  it('says no time of steps that may be epochs', async () => {
    const events = [1, 2, 3, 4, 5].map(step => eventOf(1_770_000_000 + step * 60, step, { 'train/loss': 1 }));
    const [run] = await runsOf({ 'logs/events.out.tfevents.1770000000.host.1.0': tfRecordsOf(events) });
    assert.equal(run?.speed, null);
  });

  it('keeps the starts of one output folder apart: their configs may differ', async () => {
    const events = tfRecordsOf([eventOf(1_770_000_000, 1, { 'train/loss': 1 })]);
    const runs = await runsOf({
      'out/runs/a/events.out.tfevents.1770000000.host.1.0': events,
      'out/runs/b/events.out.tfevents.1770000001.host.1.0': events,
    });
    assert.deepEqual(
      runs.map(({ run }) => run),
      ['out/runs/a', 'out/runs/b'],
    );
  });

  it('reads what ms-swift reserved and its arguments', async () => {
    const line = {
      loss: 2,
      'global_step/max_steps': '10/438',
      'memory(GiB)': 16.38,
      'train_speed(iter/s)': 0.2,
    };
    const [run] = await runsOf({
      'v0/logging.jsonl': `${JSON.stringify(line)}\n{"train_runtime": 2959.8, "train_steps_per_second": 0.148}\n{"los`,
      'v0/args.json': '{"model": "Qwen/Qwen2.5-7B-Instruct"}',
    });
    assert.deepEqual(run?.peaks, [{ metric: 'reserved', bytes: Math.round(16.38 * GIB) }]);
    assert.equal(run.speed?.secondsPerStep, 5);
    assert.equal(run.steps, 10);
    assert.deepEqual(
      run.configs.map(({ path }) => path),
      ['v0/args.json'],
    );
  });

  it('reads the time of a step between the lines of LLaMA-Factory, also of a run that did not end', async () => {
    const line = (step: number, elapsed: string): string =>
      JSON.stringify({ current_steps: step, total_steps: 6566, loss: 0.8, elapsed_time: elapsed });
    const log = (...lines: readonly string[]) => runsOf({ 'out/trainer_log.jsonl': lines.join('\n') });
    const [run] = await log(
      line(10, '23:57:00'),
      line(20, '23:59:00'),
      // A second process logs the same steps, and falls behind.
      line(10, '23:58:50'),
      line(30, '1 day, 0:01:00'),
      line(20, '1 day, 0:00:50'),
      line(40, '1 day, 0:09:00'),
      line(30, '1 day, 0:08:50'),
      line(50, '1 day, 0:11:00'),
    );
    assert.deepEqual([run?.speed?.secondsPerStep, run?.steps, run?.peaks], [12, 50, []]);
    assert.equal((await log(line(10, '0:02:00')))[0]?.speed, null);
    assert.deepEqual(await log('{"user": "hello", "elapsed_time": "0:00:01"}'), []);
  });

  it('reads what DeviceStatsMonitor wrote into Lightning’s table', async () => {
    const [run] = await runsOf({
      'lightning_logs/version_0/hparams.yaml': 'lr: 0.1\n',
      'lightning_logs/version_0/metrics.csv': [
        'epoch,step,train_loss,"DeviceStatsMonitor.on_train_batch_end/allocated_bytes.all.peak"',
        '0,49,0.5,1000000',
        '0,99,,3000000',
        '',
      ].join('\r\n'),
    });
    assert.deepEqual(run?.peaks, [{ metric: 'allocated', bytes: 3_000_000 }]);
    assert.equal(run.steps, 100);
  });

  it('reads MLflow’s folders of metrics and parameters', async () => {
    const at = 'mlruns/0/f00/';
    const [run] = await runsOf({
      [`${at}meta.yaml`]: 'run_id: f00\nstart_time: 1770000000000\n',
      [`${at}metrics/system/gpu_0_memory_usage_megabytes`]:
        '1770000000000 9000.5 0\n1770000010000 12000.0 1\n',
      [`${at}metrics/train_steps_per_second`]: '1770000010000 4 60\n',
      [`${at}params/per_device_train_batch_size`]: '8',
      [`${at}params/bf16`]: 'True',
    });
    assert.deepEqual(run?.peaks, [{ metric: 'device', bytes: 12_000_000_000 }]);
    assert.equal(run.speed?.secondsPerStep, 0.25);
    assert.deepEqual(JSON.parse(run.configs[0]?.text ?? ''), { per_device_train_batch_size: 8, bf16: true });
  });

  it('reads the memory of GPUs from sacct, of one GPU only: Slurm adds those of a task', async () => {
    const rows = [
      'JobID|JobName|AllocTRES|TRESUsageInMax|End|',
      '42|train|cpu=4,gres/gpu:a100=1,gres/gpu=1||2026-03-01T10:00:00|',
      '42.batch|batch|cpu=4,gres/gpu=1|cpu=00:56:24,gres/gpumem=38888M,gres/gpuutil=100,mem=10372780K|2026-03-01T10:00:00|',
      '43|train|gres/gpu:a100=4||2026-03-01T11:00:00|',
      '43.0|python||gres/gpumem=90G,gres/gpuutil=90|2026-03-01T11:00:00|',
    ];
    const runs = await runsOf({ 'sacct.txt': rows.join('\n') });
    assert.deepEqual(
      runs.map(({ run, gpu, peaks }) => [run, gpu?.name, gpu?.count, peaks[0]?.bytes]),
      [
        ['sacct.txt#42', 'a100', 1, 38_888 * 2 ** 20],
        ['sacct.txt#43', 'a100', 4, undefined],
      ],
    );
  });

  it('reads the peak that Unsloth’s last cell prints', async () => {
    const text = [
      '412.3 seconds used for training.\n',
      'Peak reserved memory = 14.605 GB.\n',
      'Peak reserved memory for training = 5.853 GB.\n',
      'Peak reserved memory % of max memory = 99.03 %.\n',
    ];
    const notebook = { cells: [{ cell_type: 'code', source: [], outputs: [{ text }] }] };
    const [run] = await runsOf({ 'a.ipynb': JSON.stringify(notebook) });
    assert.deepEqual(
      run?.peaks.map(({ metric, bytes }) => [metric, Math.round(bytes / 2 ** 20)]),
      [['reserved', 14956]],
    );
  });

  it('reads the trainer’s progress bar in a notebook: that of the longest training, none of an evaluation', async () => {
    const bar = (text: string): object => ({
      output_type: 'display_data',
      data: {
        'text/html': [`<progress value='1'></progress>\n      [${text}]\n    </div>\n`],
        'text/plain': ['<IPython.core>'],
      },
    });
    const shown = (...texts: readonly string[]): Record<string, string> => ({
      'a.ipynb': JSON.stringify({ cells: [{ cell_type: 'code', source: [], outputs: texts.map(bar) }] }),
    });
    const [run] = await runsOf(
      shown('60/60 02:00, Epoch 1/2', '1800/1800 1:00:00, Epoch 2/2', '616/616 11:16'),
    );
    assert.equal(run?.steps, 1800);
    assert.deepEqual(run.speed, { secondsPerStep: 2, from: 'the progress bar', isWhole: true });
    const [stopped] = await runsOf(shown('   20/16058 00:42 &lt; 11:01:29, 0.40 it/s, Epoch 0.00/1'));
    assert.equal(stopped, undefined);
    const [cut] = await runsOf(shown('   20/16058 00:42 < 11:01:29, 0.40 it/s, Epoch 0.00/1'));
    assert.equal(cut?.speed?.secondsPerStep, 2.5);
    assert.deepEqual(await runsOf(shown('616/616 11:16')), []);
  });

  it('reads a notebook’s outputs, and is itself the config', async () => {
    const output =
      "TrainOutput(global_step=60, training_loss=0.9, metrics={'train_runtime': 120.0, 'train_steps_per_second': 0.5, 'epoch': 1.0})";
    const notebook = {
      cells: [{ cell_type: 'code', source: [], outputs: [{ data: { 'text/plain': [output] } }] }],
    };
    const [run] = await runsOf({ 'a.ipynb': JSON.stringify(notebook), 'b.ipynb': '{"cells": []}' });
    assert.equal(run?.run, 'a.ipynb');
    assert.equal(run.speed?.secondsPerStep, 2);
    assert.equal(run.steps, 60);
  });
});
