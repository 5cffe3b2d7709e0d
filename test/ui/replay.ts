// Recorded answers of nvidia-smi from other machines: recordings of test/fixtures/telemetry, replayed.
import { writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import { temporaryFolder } from '../../scripts/lib/temporary.mjs';

const recordings = join(root, 'test/fixtures/telemetry');

interface Answer {
  /** Start of an argument that gets this answer. */
  readonly when: string;
  readonly file: string;
  readonly exitCode?: number;
}

/** Environment of a window in which nvidia-smi gives these answers. */
export function replaying(answers: readonly Answer[]): {
  readonly PATH: string;
  readonly HEADROOM_REPLAY: string;
} {
  const session = join(temporaryFolder('headroom-replay').folder, 'session.json');
  const absolute = answers.map(answer => ({ ...answer, file: resolve(recordings, answer.file) }));
  writeFileSync(session, JSON.stringify({ answers: absolute }));
  return { PATH: `${recordings}${delimiter}${process.env['PATH']}`, HEADROOM_REPLAY: session };
}

/** One GPU in use: an RTX 4080 SUPER. Windows that request it are alike. */
export const BUSY_GPU = replaying([
  { when: '--query-gpu', file: 'nv-csv-4080s-595-load.csv' },
  { when: '--query-compute-apps', file: 'nv-apps-4080s-595-load.csv' },
]);
