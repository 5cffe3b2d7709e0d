import type { JobCard } from '../src/panel/page/jobs';

/** The visual style of a state, in addition to its word: shape and color. */
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
