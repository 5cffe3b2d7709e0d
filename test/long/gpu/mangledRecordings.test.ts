import assert from 'node:assert/strict';
import { readRecording } from '../../eval/telemetry/recording';
import { leastCpuMs } from '../../cpuTime';
import { tries } from '../../tries';
import { describeMangled, recordingsIn } from '../../unit/gpu/mangling';

/** Processor time for 50,000 characters. */
const MOST_MS = 1000;
const INDEX = 'test/fixtures/telemetry/recordings/INDEX.jsonl';

describeMangled('gpu: recordings, mangled', INDEX, tries(20));

describe('gpu: recordings that are huge', () => {
  it('are read in time', function () {
    this.timeout(120_000);
    for (const { recording, text } of recordingsIn(INDEX).filter(kept => kept.text.length < 4000)) {
      const huge = `${text}\n`.repeat(Math.ceil(5e4 / (text.length + 1)));
      const ms = leastCpuMs(MOST_MS, () => readRecording(recording, huge));
      assert.ok(ms < MOST_MS, `${Math.round(ms)} ms: ${recording.file}`);
    }
  });
});
