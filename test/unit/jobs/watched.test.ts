import assert from 'node:assert/strict';
import { samplesOfJob, peakOf, peaksOf, samplesInBlocks } from '../../../src/jobs/remote/watched';

const BLOCKS = `at 100
gpu GPU-a, 1024, 45, 60, 300.12
gpu GPU-b, 2048, [N/A], 61, [Not Supported]
held GPU-a 512
held GPU-a 256
.
at 105
gpu Unable to determine the device handle for GPU0000:01:00.0: Unknown Error
gpu GPU-b, 4096, 7, 62, 250
held GPU-b 3000
held GPU-b [N/A]
.
`;

describe('the readings written next to a job on its host', () => {
  const MIB = 2 ** 20;
  const samples = samplesInBlocks(BLOCKS);

  it('are read by time and GPU', () => {
    assert.deepEqual(samples[0], {
      timeMs: 100_000,
      gpus: [
        {
          uuid: 'GPU-a',
          heldBytes: 768 * MIB,
          usedBytes: 1024 * MIB,
          utilPct: 45,
          tempC: 60,
          powerW: 300.12,
        },
        { uuid: 'GPU-b', heldBytes: null, usedBytes: 2048 * MIB, utilPct: null, tempC: 61, powerW: null },
      ],
    });
  });

  it('have unknown held memory if a process holds an unknown amount', () => {
    assert.deepEqual(
      samples[1]?.gpus.map(({ uuid, heldBytes }) => [uuid, heldBytes]),
      [['GPU-b', null]],
    );
    assert.equal(peakOf(samples)?.bytes, 768 * MIB);
  });

  it('are known per array task, and not for tasks never seen to hold any', () => {
    const [first, second] = samples;
    assert.ok(first && second);
    const ofTasks = [
      { ...first, task: '2' },
      { ...first, task: '10' },
      { ...second, task: '11' },
    ];
    assert.deepEqual(
      peaksOf(ofTasks).map(({ task, bytes }) => [task, bytes / MIB]),
      [
        ['2', 768],
        ['10', 768],
      ],
    );
    assert.deepEqual(peaksOf(samples), [peakOf(samples)]);
  });

  it('cover the GPUs that the job was given or held', () => {
    const uuids = (given: readonly string[]) =>
      samplesOfJob(samples, given).map(({ gpus }) => gpus.map(({ uuid }) => uuid));
    assert.deepEqual(uuids([]), [['GPU-a'], []]);
    assert.deepEqual(uuids(['GPU-b']), [['GPU-a', 'GPU-b'], ['GPU-b']]);
  });

  it('are empty without a complete block', () => {
    assert.deepEqual(samplesInBlocks(''), []);
    assert.deepEqual(samplesInBlocks('at x\n.\nrubbish\n.\n'), []);
  });
});
