// nvidia-smi as it answered somewhere once: recordings of test/fixtures/telemetry, replayed.
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';

const recordings = join(root, 'test/fixtures/telemetry');

/** Environment of a window in which nvidia-smi gives these answers; `name` tells windows apart. */
export function replaying(name, answers) {
  const session = join(tmpdir(), `headroom-replay-${process.pid}-${name}.json`);
  const absolute = answers.map(answer => ({ ...answer, file: resolve(recordings, answer.file) }));
  writeFileSync(session, JSON.stringify({ answers: absolute }));
  process.once('exit', () => rmSync(session, { force: true }));
  return { PATH: `${recordings}${delimiter}${process.env.PATH}`, HEADROOM_REPLAY: session };
}
