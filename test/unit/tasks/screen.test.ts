import assert from 'node:assert/strict';
import type { ComparedPlace } from '../../../src/core/compare/fit';
import type { JobEstimate } from '../../../src/jobs/job';
import type { FreeGpu } from '../../../src/tasks/ports';
import { freest, outlookOf } from '../../../src/tasks/request';
import type { Choice } from '../../../src/tasks/request';
import { screenOf } from '../../../src/tasks/screen';
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
});

describe('GPUs for a job', () => {
  it('are those with most free memory, in the order of their numbers', () => {
    const chosen = freest([gpu(0, 2), gpu(1, 20), gpu(2, null), gpu(3, 22)], 2);
    assert.deepEqual(
      chosen.map(({ index }) => index),
      [1, 3],
    );
  });

  it('take a run, let it wait, or are too small for it', () => {
    assert.equal(outlookOf(estimate(20), choice(gpu(0, 22))), 'goes');
    assert.equal(outlookOf(estimate(20), choice(gpu(0, 22), gpu(1, 12))), 'waits');
    assert.equal(outlookOf(estimate(30), choice(gpu(0, 22))), 'refused');
    assert.equal(outlookOf(null, choice(gpu(0, 22))), 'unknown');
  });
});

describe('the screen before a start', () => {
  const request = record({
    argv: ['axolotl', 'train', 'my lora.yml'],
    environment: { WANDB_PROJECT: 'tune' },
    secrets: ['HF_TOKEN'],
    gpus: { count: 1, uuids: ['GPU-0'], needBytes: null },
    estimate: estimate(20),
    writes: ['out'],
  });

  it('has the exact command, names of variables without values, where, need and what is written', () => {
    const { title, detail } = screenOf(request, choice(gpu(0, 22)), 'goes', [
      'It goes on when the window is closed.',
    ]);
    assert.equal(title, 'Start “train lora.yml”?');
    assert.equal(
      detail,
      [
        "axolotl train 'my lora.yml'",
        '',
        'Folder: /home/ann',
        'Where: this machine, freest now: GPU 0 (GeForce RTX 4090, 22.0 of 24 GB free)',
        'Needs: ≈ 20.0 GB per GPU (19.0–21.0 GB), of 24 GB: fits',
        'Environment: CUDA_VISIBLE_DEVICES, WANDB_PROJECT; secrets by name: HF_TOKEN',
        'Writes: out',
        'Also: It goes on when the window is closed.',
      ].join('\n'),
    );
  });

  it('says that it does not fit before anything else', () => {
    const { title } = screenOf({ ...request, estimate: estimate(30) }, choice(gpu(0, 22)), 'refused', []);
    assert.equal(title, '“train lora.yml” needs ≈ 30.0 GB and does not fit.');
  });
});
