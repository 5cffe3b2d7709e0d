import assert from 'node:assert/strict';
import type { ComparedPlace } from '../../../src/core/plan/places/fit';
import type { JobEstimate, JobRecord, JobRequest } from '../../../src/jobs/job';
import { startView } from '../../../src/jobs/startView';
import type { Outlook, StartView } from '../../../src/jobs/startView';
import type { FreeGpu } from '../../../src/core/compare/machines';
import { freest, outlookOf, unpromised } from '../../../src/tasks/request';
import type { Choice } from '../../../src/tasks/request';
import { sayIn } from '../../../src/core/text/say';
import { record } from './support';

const GIB = 2 ** 30;

const gpu = (index: number, freeGiB: number | null): FreeGpu => ({
  index,
  uuid: `GPU-${index}`,
  name: 'NVIDIA GeForce RTX 4090',
  totalBytes: 24 * GIB,
  freeBytes: freeGiB === null ? null : freeGiB * GIB,
});

const row = (usableGiB: number): ComparedPlace => ({
  place: {
    id: 'local/0',
    kind: 'local',
    where: '',
    target: {
      name: 'RTX 4090',
      totalMiB: 24 * 1024,
      usableMiB: usableGiB * 1024,
      busyMiB: 0,
      gpu: null,
      count: 2,
      nodes: 1,
      kind: 'present',
    },
    gpus: 2,
    free: null,
    note: null,
  },
  fit: {
    verdict: 'fits',
    estimate: null,
    need: null,
    headroomBytes: null,
    fix: null,
    largestBatch: null,
    missing: [],
    evidence: null,
  },
  answer: 'fits',
  needsGpus: null,
  takesGpus: 1,
  price: null,
  speed: null,
});

const estimate = (expectedGiB: number): JobEstimate => ({
  metric: 'device',
  bytes: { low: (expectedGiB - 1) * GIB, expected: expectedGiB * GIB, high: (expectedGiB + 1) * GIB },
  verdict: 'fits',
});

const choice = (...gpus: readonly FreeGpu[]): Choice => ({
  place: { engine: 'local' },
  row: row(23.5),
  count: gpus.length,
  gpus,
  type: null,
});

describe('GPUs for a job', () => {
  it('are those with most free memory, in index order', () => {
    const chosen = freest([gpu(0, 2), gpu(1, 20), gpu(2, null), gpu(3, 22)], 2);
    assert.deepEqual(
      chosen.map(({ index }) => index),
      [1, 3],
    );
  });

  it('have only the memory left that other jobs were not promised', () => {
    const promised = record({ gpus: { count: 1, uuids: ['GPU-0'], needBytes: 18 * GIB } });
    const left = (more: Partial<JobRecord>): number | null | undefined =>
      unpromised([gpu(0, 22)], [{ ...promised, ...more }])[0]?.freeBytes;
    assert.equal(left({}), 6 * GIB);
    assert.equal(left({ state: 'succeeded' }), 22 * GIB);
    assert.equal(left({ gpus: { ...promised.gpus, uuids: ['GPU-1'] } }), 22 * GIB);
    assert.equal(unpromised([gpu(0, 2)], [promised])[0]?.freeBytes, 2 * GIB);
  });

  it('fit a run, make it wait, or are too small for it', () => {
    assert.equal(outlookOf(estimate(20), choice(gpu(0, 22))), 'goes');
    assert.equal(outlookOf(estimate(20), choice(gpu(0, 22), gpu(1, 12))), 'waits');
    assert.equal(outlookOf(estimate(30), choice(gpu(0, 22))), 'refused');
    assert.equal(outlookOf(null, choice(gpu(0, 22))), 'unknown');
    // A host has no queue.
    const host = { engine: 'ssh', alias: 'box', folder: null } as const;
    assert.equal(outlookOf(estimate(20), { ...choice(gpu(0, 12)), place: host }), 'crowded');
  });
});

describe('the view before a start', () => {
  const request = record({
    argv: ['axolotl', 'train', 'my lora.yml'],
    environment: { WANDB_PROJECT: 'tune' },
    secrets: ['HF_TOKEN'],
    gpus: { count: 1, uuids: ['GPU-0'], needBytes: null },
    estimate: estimate(20),
    writes: ['out'],
  });

  const viewOf = (of: JobRequest, outlook: Outlook, beside: readonly string[]): StartView =>
    startView(of, { gpus: [gpu(0, 22)], target: row(23.5).place.target, outlook, also: beside });

  it('says in the reader’s language what a place adds', () => {
    const say = sayIn({ 'Runs after {0}.': '在 {0} 之后运行。', Also: '另外' });
    const also = ['Runs after sweep (a1b2c3).'];
    const { rows } = startView(request, { gpus: [], target: null, outlook: 'goes', also }, say);
    assert.deepEqual(rows.at(-1), ['另外', ['在 sweep (a1b2c3) 之后运行。']]);
  });

  it('shows the exact command, variable names without values, the place, the need and the outputs', () => {
    const { title, command, rows } = viewOf(request, 'goes', ['It goes on when the window is closed.']);
    assert.equal(title, 'Start “train lora.yml”?');
    assert.equal(command, "axolotl train 'my lora.yml'");
    assert.equal(
      rows.map(([label, texts]) => `${label}: ${texts.join('; ')}`).join('\n'),
      [
        'Folder: /home/ann',
        'Where: this machine, most free now: GPU 0 (GeForce RTX 4090, 22.0 of 24 GB free)',
        'Needs: ≈ 20.0 GB per GPU (19.0–21.0 GB), of 24 GB: fits',
        'Environment: CUDA_VISIBLE_DEVICES, WANDB_PROJECT; secrets: HF_TOKEN',
        'Writes: out',
        'Also: It goes on when the window is closed.',
      ].join('\n'),
    );
  });

  it('says first if the run does not fit', () => {
    const { title } = viewOf({ ...request, estimate: estimate(30) }, 'refused', []);
    assert.equal(title, '“train lora.yml” needs ≈ 30.0 GB and does not fit.');
  });

  it('shows scheduler limits only for a scheduler', () => {
    const place = { engine: 'slurm', alias: 'login', partition: 'a100' } as const;
    const limits = { timeMinutes: 270, cpus: 8, memoryMiB: 64 * 1024, array: null, requeue: true };
    const asked = (more: Partial<JobRequest>): readonly string[] | undefined =>
      viewOf({ ...request, place, ...more }, 'goes', []).rows.find(([label]) => label === 'Requests')?.[1];
    assert.deepEqual(asked({ limits }), [
      '4 h 30 min at most',
      '8 CPUs',
      '64.0 GB of host RAM',
      'requeued if its node fails or is preempted',
    ]);
    assert.match(asked({})?.join() ?? '', /the partition's defaults for/);
    assert.equal(asked({ place: { engine: 'local' } }), undefined);
  });
});
