import assert from 'node:assert/strict';
import { readRecording } from '../../eval/telemetry/recording';
import { tries } from '../../tries';
import { describeMangled, recordingsIn } from '../../unit/gpu/mangling';

const INDEX = 'test/fixtures/telemetry/recordings/INDEX.jsonl';

describeMangled('gpu: recordings, mangled', INDEX, tries(20));

describe('gpu: recordings that are huge', () => {
  it('are read in time', function () {
    this.timeout(120_000);
    for (const { recording, text } of recordingsIn(INDEX).filter(kept => kept.text.length < 4000)) {
      const started = process.cpuUsage().user;
      readRecording(recording, `${text}\n`.repeat(Math.ceil(5e4 / (text.length + 1))));
      assert.ok(process.cpuUsage().user - started < 1e6, recording.file);
    }
  });
});
