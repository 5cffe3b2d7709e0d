import assert from 'node:assert/strict';
import { explainOom } from '../../../src/core/output/oom/explain';
import { oomSentence } from '../../../src/core/output/oom/sentence';
import { versionsIn } from '../../../src/core/output/versions';
import { endingOf } from '../../../src/jobs/ending';
import type { JobExit } from '../../../src/jobs/job';
import { NEVER, Place, request, until } from '../../jobs/support';

const TORCH_OOM =
  'Traceback (most recent call last):\n  File "train.py", line 10, in <module>\n    loss.backward()\n' +
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.64 GiB of which ' +
  '512.00 MiB is free. Process 1234 has 23.10 GiB memory in use. Of the allocated memory 21.50 GiB is allocated by PyTorch, and ' +
  '300.00 MiB is reserved by PyTorch but unallocated.\n';

const FAILED: JobExit = { code: 1, signal: null, reason: null };

const ofText = (text: string, exit: JobExit | null) => {
  const bytes = Buffer.from(text);
  const read = (offset: number) => Promise.resolve({ offset, bytes: bytes.subarray(offset, offset + 1000) });
  const record = { ...request(''), config: null } as unknown as Parameters<typeof endingOf>[0];
  return endingOf(record, read, exit);
};

describe("the end of a job's output", () => {
  it('says why memory ran out, with the amounts', async () => {
    const { message } = await ofText(`${'step\n'.repeat(5000)}${TORCH_OOM}`, FAILED);
    assert.equal(
      message,
      'The GPU ran out of memory: the run needs more than the GPU has. (2.0 GB requested, 512 MB of 23.6 GB free, tensors used 21.5 GB, 300 MB reserved but unused, on GPU 0, in the backward pass)',
    );
  });

  it('distinguishes a killed job from one that ran out by itself', async () => {
    const killed = await ofText('step 1\n', { code: null, signal: 'SIGKILL', reason: null });
    assert.equal(
      killed.message,
      'Killed (SIGKILL): by another process, or because host RAM ran out (check dmesg).',
    );
    const container = await ofText('step 1\n', { code: 137, signal: null, reason: null });
    assert.match(container.message ?? '', /^Killed \(SIGKILL\)/);
    const oom = await ofText(TORCH_OOM, { code: null, signal: 'SIGKILL', reason: null });
    assert.match(oom.message ?? '', /^The GPU ran out of memory/);
  });

  it('is the last other error, and nothing on success', async () => {
    const error = await ofText(
      'Traceback (most recent call last):\n  File "a.py"\nValueError: no such dataset\n',
      FAILED,
    );
    assert.equal(error.message, 'ValueError: no such dataset');
    assert.equal(
      (await ofText('ValueError: caught\n', { code: 0, signal: null, reason: null })).message,
      null,
    );
    assert.equal((await ofText('', FAILED)).message, null);
  });

  it('has the peaks that the trainer prints', async () => {
    const lines = [17.1, 17.3, 17.2].map(
      (gib, i) =>
        `{'loss': 1.${i}, 'grad_norm': 0.8, 'learning_rate': 2e-05, 'memory/max_active (GiB)': 1.0, 'memory/max_allocated (GiB)': ${gib}, 'memory/device_reserved (GiB)': 19.5, 'epoch': 0.${i}}\n`,
    );
    const { peaks } = await endingOf(
      {
        ...request(''),
        config: { file: 'a.yml', digest: '', run: '', dialect: 'axolotl' },
      } as unknown as Parameters<typeof endingOf>[0],
      offset => Promise.resolve({ offset, bytes: Buffer.from(lines.join('')).subarray(offset) }),
      { code: 0, signal: null, reason: null },
    );
    assert.deepEqual(
      peaks.map(({ metric, bytes }) => [metric, (bytes / 2 ** 30).toFixed(1)]),
      [
        ['allocated', '17.3'],
        ['reserved', '19.5'],
      ],
    );
  });

  it('has a sentence for every kind of out-of-memory failure', () => {
    const report = explainOom(TORCH_OOM);
    assert.ok(report);
    for (const kind of ['gpu-fragmentation', 'slurm-oom', 'shm', 'disk-full'] as const) {
      assert.match(oomSentence({ ...report, kind }), /^[A-Z].*[.)]$/);
    }
  });

  it('names releases as programs print them', () => {
    const text =
      'PyTorch version: 2.6.0+cu124\ntransformers==4.48.1\n  "accelerate": "1.2.0",\naxolotl v0.8.0\nthe torch 3 times';
    assert.deepEqual(versionsIn(text), {
      torch: '2.6.0+cu124',
      transformers: '4.48.1',
      accelerate: '1.2.0',
      axolotl: '0.8.0',
    });
  });
});

describe('a job that runs out of memory', () => {
  const place = new Place();
  after(() => place.remove());

  it('says so in its record', async () => {
    const { id } = await place.jobs.start(
      request(`process.stderr.write(${JSON.stringify(TORCH_OOM)}); process.exit(1)`),
      {},
      NEVER,
    );
    const { state, message } = await until(place.jobs, id, 'failed', 'succeeded');
    assert.equal(state, 'failed');
    assert.match(message ?? '', /^The GPU ran out of memory/);
  });
});
