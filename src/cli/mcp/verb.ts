import { execFile } from 'node:child_process';
import { join } from 'node:path';

const TIMEOUT_MS = 60_000;
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * What a verb of this program prints, run as a process in a folder, so that what it starts and how it ends does not
 * touch the server. A failed verb's text is its answer, too: it says what to do.
 */
export function ownVerb(args: readonly string[], folder: string): Promise<string> {
  const options = { cwd: folder, timeout: TIMEOUT_MS, maxBuffer: MOST_BYTES, windowsHide: true };
  return new Promise(resolve => {
    const child = execFile(
      process.execPath,
      [join(__dirname, 'cli.js'), ...args],
      options,
      (error, out, err) => {
        const late = error?.killed === true ? `headroom ${args[0] ?? ''} took longer than a minute.` : '';
        resolve([out, err, late].filter(text => text.trim() !== '').join('\n'));
      },
    );
    child.stdin?.end();
  });
}
