import { execFile } from 'node:child_process';
import type { Processes } from './process';
import type { ProcessRow } from './process';

const TIMEOUT_MS = 20_000;
const MOST_BYTES = 64 * 2 ** 20;

/** The output of a system program; null if it is missing, fails or does not end. */
export function ask(executable: string, args: readonly string[]): Promise<string | null> {
  return new Promise(resolve => {
    const options = {
      timeout: TIMEOUT_MS,
      maxBuffer: MOST_BYTES,
      windowsHide: true,
      env: { ...process.env, LC_ALL: 'C' },
    };
    execFile(executable, args, options, (error, stdout) => resolve(error ? null : stdout));
  });
}

const COLUMNS = 'pid=,ppid=,pgid=,stat=,lstart=,comm=';
/** `  501     1   501 Ss   Sun Nov 22 06:26:13 2026 /sbin/launchd`. */
const LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\w{3} \w{3} +\d+ [\d:]+ \d{4})\s+(.*)$/;

/** The rows of `ps -o pid=,ppid=,pgid=,stat=,lstart=,comm=`, without zombies. */
function rowsOfPs(text: string): readonly ProcessRow[] {
  return text.split('\n').flatMap(line => {
    const [, pid, parent, group, state = '', start = '', name = ''] = LINE.exec(line) ?? [];
    if (pid === undefined || state.startsWith('Z')) return [];
    const began = start.replace(/ +/g, ' ');
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), start: began, name }];
  });
}

/** macOS and the BSDs: by ps(1), which gives start times to the second. */
export const psProcesses: Processes = {
  async of(pid) {
    const [row] = rowsOfPs((await ask('ps', ['-o', COLUMNS, '-p', String(pid)])) ?? '');
    return row ?? null;
  },
  all: async () => rowsOfPs((await ask('ps', ['-A', '-o', COLUMNS])) ?? ''),
  startedWith: () => Promise.resolve(null),
};
