import { execFile } from 'node:child_process';

const TIMEOUT_MS = 20_000;
const MOST_BYTES = 64 * 2 ** 20;

/** What a program of the system prints; null when it is not there, fails or does not end. */
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
