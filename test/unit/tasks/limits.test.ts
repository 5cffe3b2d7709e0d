import assert from 'node:assert/strict';
import fc from 'fast-check';
import { minutesText } from '../../../src/jobs/limitsText';
import { definitionOf, taskOf } from '../../../src/tasks/definition';
import { cpusOf, memoryMiBOf, minutesOf } from '../../../src/tasks/limits';

describe('limits for a scheduler', () => {
  it('are times as people and Slurm write them', () => {
    const times = [
      '90',
      '90 min',
      '1.5h',
      '4 h',
      '1 d 12 h',
      '2:30:00',
      '1-12',
      '1-12:30',
      '10:30',
      '0:00:20',
    ];
    assert.deepEqual(times.map(minutesOf), [90, 90, 90, 240, 2160, 150, 2160, 2190, 11, 1]);
    for (const wrong of ['', '0', '-4', 'h', '4 hours!', '4 h 4', '1:2:3:4', '4 y']) {
      assert.equal(minutesOf(wrong), null, wrong);
    }
  });

  it('survive a round trip of every time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), minutes => {
        assert.equal(minutesOf(minutesText(minutes)), minutes);
      }),
    );
  });

  it('are amounts of memory, in gigabytes by default', () => {
    assert.deepEqual(
      ['64', '64 GB', '64GiB', '512 MB', '1.5 TB'].map(memoryMiBOf),
      [65_536, 65_536, 65_536, 512, 1_572_864],
    );
    for (const wrong of ['', '0', 'much', '64 km', '-1']) assert.equal(memoryMiBOf(wrong), null, wrong);
    assert.deepEqual(['8', '0', '1.5', 'all'].map(cpusOf), [8, null, null, null]);
  });

  it('are read from a task and written back', () => {
    const given = { type: 'headroom', kind: 'train', config: 'a.yml', place: 'slurm:gpu' };
    const asked = { ...given, time: 240, cpus: 8, memory: 64, requeue: true };
    const task = taskOf(asked);
    assert.ok(typeof task !== 'string');
    assert.deepEqual(task.limits, {
      timeMinutes: 240,
      cpus: 8,
      memoryMiB: 65_536,
      array: null,
      requeue: true,
    });
    assert.deepEqual(definitionOf(task), asked);
    const plain = taskOf(given);
    assert.ok(typeof plain !== 'string');
    assert.equal(plain.limits, null);
    assert.equal(taskOf({ ...given, time: 0 }), '“time” must be a number above 0.');
    assert.equal(taskOf({ ...given, requeue: 'yes' }), '“requeue” must be true or false.');
  });
});
