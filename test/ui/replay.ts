// nvidia-smi as it answered somewhere once: recordings of test/fixtures/telemetry, replayed.
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';

const recordings = join(root, 'test/fixtures/telemetry');

interface Answer {
  /** How an argument begins that is answered so. */
  readonly when: string;
  readonly file: string;
  readonly exitCode?: number;
}

let sessions = 0;

/** Environment of a window in which nvidia-smi gives these answers. */
export function replaying(answers: readonly Answer[]): {
  readonly PATH: string;
  readonly HEADROOM_REPLAY: string;
} {
  const session = join(tmpdir(), `headroom-replay-${process.pid}-${sessions++}.json`);
  const absolute = answers.map(answer => ({ ...answer, file: resolve(recordings, answer.file) }));
  writeFileSync(session, JSON.stringify({ answers: absolute }));
  process.once('exit', () => rmSync(session, { force: true }));
  return { PATH: `${recordings}${delimiter}${process.env['PATH']}`, HEADROOM_REPLAY: session };
}

/** One GPU that is in use: an RTX 4080 SUPER. Windows that ask for it are alike. */
export const BUSY_GPU = replaying([
  { when: '--query-gpu', file: 'nv-csv-4080s-595-load.csv' },
  { when: '--query-compute-apps', file: 'nv-apps-4080s-595-load.csv' },
]);
