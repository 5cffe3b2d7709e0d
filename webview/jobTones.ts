import type { JobCard } from '../src/panel/page/jobs';

/** How a state is shown in addition to its word: by shape and colour. */
export const TONES: Readonly<Record<JobCard['state'], string>> = {
  queued: 'waiting',
  starting: 'waiting',
  running: 'good',
  stopping: 'waiting',
  succeeded: 'quiet',
  failed: 'bad',
  stopped: 'quiet',
  lost: 'bad',
  unknown: 'waiting',
};
