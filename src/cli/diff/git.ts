import { spawn } from 'node:child_process';

const TIMEOUT_MS = 60_000;
const MOST_OUTPUT_BYTES = 1024 * 1024 * 1024;

/** Git neither asks, nor downloads missing objects, nor takes locks. */
const ENVIRONMENT = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  LC_ALL: 'C',
};

/** What Git prints, run in the working folder; null if it is missing or fails. It runs no hook and no filter. */
export async function git(...args: readonly string[]): Promise<string | null> {
  const out = await output(args, null);
  return out && out.toString('utf8');
}

/** The contents of Git's objects by hash; missing ones are left out. */
export async function gitObjects(hashes: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
  const out = await output(['cat-file', '--batch'], `${[...new Set(hashes)].join('\n')}\n`);
  return out ? objectsIn(out) : new Map<string, Uint8Array>();
}

/** `HASH blob SIZE\n`, the content and a line feed, one after the other; `HASH missing\n` for others. */
function objectsIn(out: Buffer): ReadonlyMap<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  for (let at = 0; at < out.length;) {
    const end = out.indexOf('\n', at);
    if (end < 0) break;
    const [hash = '', kind, size] = out.toString('utf8', at, end).split(' ');
    at = end + 1;
    if (kind !== 'blob') continue;
    found.set(hash, out.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
  return found;
}

function output(args: readonly string[], input: string | null): Promise<Buffer | null> {
  return new Promise(resolve => {
    const child = spawn('git', args, {
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
      env: { ...process.env, ...ENVIRONMENT },
    });
    const pieces: Buffer[] = [];
    let bytes = 0;
    const late = setTimeout(() => child.kill(), TIMEOUT_MS);
    const end = (out: Buffer | null): void => {
      clearTimeout(late);
      resolve(out);
    };
    child.on('error', () => end(null));
    child.stdout.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > MOST_OUTPUT_BYTES) child.kill();
      else pieces.push(piece);
    });
    child.on('close', code => end(code === 0 ? Buffer.concat(pieces) : null));
    // Git may end before it has read everything; its exit code says so.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
  });
}
