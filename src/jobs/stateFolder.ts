import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The folder of this user's records, shared by all windows and commands. `HEADROOM_STATE` sets another one (for
 * tests, or if the home folder is small).
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
  // Ignores a relative folder (XDG Base Directory Specification).
  return join(state && isAbsolute(state) ? state : join(home, '.local', 'state'), 'headroom');
}

/**
 * A sentence that says why the requested folder cannot be used; null: it can. Falling back silently would show the
 * user's own jobs instead.
 */
export function whyNoState({ HEADROOM_STATE: given }: Variables = process.env): string | null {
  if (!given || isAbsolute(given)) return null;
  return `HEADROOM_STATE=${given} is not an absolute path. Set it to one such as ${join(homedir(), 'headroom')}.`;
}

/**
 * The file for measurements of jobs whose records are not in the user's default folder; null: the user's own file.
 */
export function measurementsInState(state: string): string | null {
  return state === stateFolder({ ...process.env, HEADROOM_STATE: '' })
    ? null
    : join(state, 'measurements.jsonl');
}

/** The files of one job. */
export interface JobPaths {
  readonly folder: string;
  /** The record. */
  readonly record: string;
  /** The original request, which a restart uses again. */
  readonly request: string;
  /** The request's secrets; exists only if there are any. */
  readonly secrets: string;
  /** The job's output, stdout and stderr interleaved as written. */
  readonly output: string;
  /** The progress of its parts if it is spread. */
  readonly parts: string;
  /** The readings of its GPUs while it ran, one line per reading. */
  readonly samples: string;
  /** The job's keeper, while it lives. */
  readonly keeper: string;
  /** The job's process; created before the start, so that it starts only once. */
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
