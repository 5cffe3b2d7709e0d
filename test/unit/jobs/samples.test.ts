import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { SampleLog } from '../../../src/jobs/keeper/sampleLog';
import { joined, samplesIn } from '../../../src/jobs/samples';
import type { JobGpuSample, JobSample } from '../../../src/jobs/samples';

const gpu = (uuid: string, more: Partial<JobGpuSample> = {}): JobGpuSample => ({
  uuid,
  heldBytes: null,
  usedBytes: null,
  utilPct: null,
  tempC: null,
  powerW: null,
  ...more,
});

describe('samples of a job', () => {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-samples-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('are merged per GPU by the peaks of memory and temperature and the mean of the rest', () => {
    const first = { timeMs: 1, gpus: [gpu('a', { usedBytes: 5, utilPct: 10, tempC: 60, powerW: 100 })] };
    const second = {
      timeMs: 3,
      gpus: [gpu('a', { usedBytes: 4, utilPct: 20, tempC: 61 }), gpu('b', { heldBytes: 7 })],
    };
    assert.deepEqual(joined([first, second]), {
      timeMs: 3,
      gpus: [gpu('a', { usedBytes: 5, utilPct: 15, tempC: 61, powerW: 100 }), gpu('b', { heldBytes: 7 })],
    });
  });

  it('stay a bounded file for any duration, with first time, last time and peak', async () => {
    const amounts = fc.array(fc.option(fc.nat(1000)), { minLength: 1, maxLength: 120 });
    let nth = 0;
    await fc.assert(
      fc.asyncProperty(amounts, async values => {
        const path = join(folder, `${(nth += 1)}.jsonl`);
        const log = new SampleLog(path, 8);
        for (const [at, heldBytes] of values.entries()) {
          await log.add({ timeMs: at, gpus: [gpu('a', { heldBytes })] });
        }
        await log.end();
        const read = samplesIn(readFileSync(path, 'utf8'));
        assert.ok(read.length <= 8 && read.length >= Math.min(values.length, 4));
        assert.equal(read.at(-1)?.timeMs, values.length - 1);
        assert.deepEqual(
          read.map(({ timeMs }) => timeMs),
          read.map(({ timeMs }) => timeMs).toSorted((a, b) => a - b),
        );
        assert.equal(
          peakOf(read),
          values.reduce<number | null>((a, b) => (b === null ? a : Math.max(a ?? 0, b)), null),
        );
      }),
    );
  });

  it('are read as far as they were written', () => {
    const whole = JSON.stringify({ timeMs: 1, gpus: [gpu('a', { heldBytes: 1 })] });
    assert.equal(samplesIn(`${whole}\n${whole.slice(0, 30)}`).length, 1);
    assert.deepEqual(samplesIn('[]\n{}\nnull\n'), []);
  });
});

function peakOf(samples: readonly JobSample[]): number | null {
  const known = samples
    .flatMap(({ gpus }) => gpus.map(({ heldBytes }) => heldBytes))
    .filter(one => one !== null);
  return known.length === 0 ? null : Math.max(...known);
}
