import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Where this user's records are kept, whichever window or command makes them. `HEADROOM_STATE` names another place (for
 * tests, or where the home is small).
 */
export function stateFolder(
  env: Variables = process.env,
  platform: string = process.platform,
  home: string = homedir(),
): string {
  const { HEADROOM_STATE: given, XDG_STATE_HOME: state, LOCALAPPDATA: local } = env;
  if (given && isAbsolute(given)) return given;
  if (platform === 'win32') return join(local ?? join(home, 'AppData', 'Local'), 'headroom');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'headroom');
  // Skips a folder that is not absolute (XDG Base Directory Specification).
  return join(state && isAbsolute(state) ? state : join(home, '.local', 'state'), 'headroom');
}

/** Why the folder that was asked for cannot be taken, a sentence; null: it can. Whoever asked for another would be shown the user's own jobs. */
export function whyNoState({ HEADROOM_STATE: given }: Variables = process.env): string | null {
  if (!given || isAbsolute(given)) return null;
  return `HEADROOM_STATE=${given} is not an absolute path. Set it to one such as ${join(homedir(), 'headroom')}.`;
}

/** The file of what jobs have measured, where their records do not lie where the user's own do; null: the user's own. */
export function measurementsBeside(state: string, env: Variables = process.env): string | null {
  return state === stateFolder({ ...env, HEADROOM_STATE: '' }) ? null : join(state, 'measurements.jsonl');
}

/** The files of one job. */
export interface JobPaths {
  readonly folder: string;
  /** The record. */
  readonly record: string;
  /** What was asked for, as it was asked: another start asks for the same. */
  readonly request: string;
  /** What of that is secret; there only where something is. */
  readonly secrets: string;
  /** What the job prints, both streams in the order in which they were written. */
  readonly output: string;
  /** How far its parts are, where it was spread. */
  readonly parts: string;
  /** What its GPUs showed while it ran, a line for each time. */
  readonly samples: string;
  /** Who looks after the job, as long as it lives. */
  readonly keeper: string;
  /** The job's process; there before it is started, so that it is started once. */
  readonly process: string;
  /** How it ended. */
  readonly exit: string;
}

export const jobsFolder = (state: string): string => join(state, 'jobs');

export function jobPaths(state: string, id: string): JobPaths {
  const folder = join(jobsFolder(state), id);
  const inside = (name: string): string => join(folder, name);
  return {
    folder,
    record: inside('job.json'),
    request: inside('request.json'),
    secrets: inside('secrets.json'),
    output: inside('output.log'),
    parts: inside('parts.json'),
    samples: inside('samples.jsonl'),
    keeper: inside('keeper.lock'),
    process: inside('process.json'),
    exit: inside('exit.json'),
  };
}
