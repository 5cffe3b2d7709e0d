import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compare } from '../telemetry/compare';
import { readRecording } from '../telemetry/recording';
import type { Recording } from '../telemetry/recording';

const index = `${process.env['HEADROOM_SHARED'] ?? '../shared'}/telemetry/samples/INDEX.jsonl`;

(existsSync(index) ? describe : describe.skip)('gpu: recorded outputs (shared material)', () => {
  it('are all read right where there is a reader', () => {
    const recordings = readFileSync(index, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line) as Recording);
    const read = recordings.flatMap(recording => {
      const reading = readRecording(recording, readFileSync(join(dirname(index), recording.file), 'utf8'));
      return reading ? [compare(recording, reading)] : [];
    });
    assert.equal(read.length, recordings.length, 'each has a reader');
    const fields = read.reduce((sum, one) => sum + one.fields, 0);
    const wrong = read.flatMap(one => one.wrong);
    // docs/gpus.md lists them: copies of another recording, and names that the index omits.
    assert.ok(wrong.length <= 0.002 * fields, JSON.stringify(wrong));
  });

  it('would show a field that is read wrong', () => {
    const recording: Recording = {
      file: 'x',
      command: 'nvidia-smi --query-gpu=index,utilization.gpu --format=csv',
      expected: { gpus: [{ index: 0, utilPct: 4 }], processes: [] },
    };
    const reading = readRecording(recording, '0, 5 %\n');
    assert.ok(reading);
    assert.deepEqual(compare(recording, reading).wrong, [
      { file: 'x', field: 'gpus[0].utilPct', expected: 4, got: 5 },
    ]);
  });
});
