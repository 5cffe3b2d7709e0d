import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The CLI as users start it: the built bundle, in a separate process. */
const CLI = resolve('dist/cli.js');

let current = '';

/** Gives each test of the file its own folder, in which `headroom` runs. */
export function inTemporaryFolder(): void {
  beforeEach(() => {
    current = mkdtempSync(join(tmpdir(), 'headroom-cli-'));
    chmodSync(current, 0o755);
  });
  afterEach(() => rmSync(current, { recursive: true, force: true }));
}

export const folder = (): string => current;

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export const headroom = (...args: readonly string[]): Ended => headroomAs(undefined, ...args);

let shared: string | null = null;

/** The bundle in a place that every user can read: the clone may be readable only by its owner. */
function sharedCli(): string {
  if (shared === null) {
    const copy = mkdtempSync(join(tmpdir(), 'headroom-bundle-'));
    cpSync('dist', copy, { recursive: true, filter: path => !path.endsWith('.map') });
    readableByAll(copy);
    process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
    shared = join(copy, 'cli.js');
  }
  return shared;
}

/** Makes a folder readable for every user, whatever the umask. */
function readableByAll(path: string): void {
  chmodSync(path, 0o755);
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' })) {
    const each = join(path, name);
    chmodSync(each, statSync(each).isDirectory() ? 0o755 : 0o644);
  }
}

/** Removes root's capability to bypass file permissions. */
const BOUND = ['/usr/bin/setpriv', '--bounding-set', '-dac_override', '--inh-caps', '-dac_override'];

/** The same as a user that permissions apply to; null for root if that is impossible. */
export function headroomBound(...args: readonly string[]): Ended | null {
  if (process.getuid?.() !== 0) return headroom(...args);
  return existsSync(BOUND[0] ?? '') ? ended([...BOUND, process.execPath, CLI, ...args]) : null;
}

/** The same as another user; only root can do this. */
export function headroomAs(uid: number | undefined, ...args: readonly string[]): Ended {
  return ended([process.execPath, uid === undefined ? CLI : sharedCli(), ...args], uid);
}

let compiled: string | null = null;

/**
 * Compiled code is kept between starts, as users have it: a quarter of each start. Not for other users, who cannot
 * write there, and not where the system alone says which folder it is, since tests list what is in theirs.
 */
function withCompiled(uid: number | undefined): NodeJS.ProcessEnv {
  if (uid !== undefined || process.platform !== 'linux') return { NODE_DISABLE_COMPILE_CACHE: '1' };
  if (compiled === null) {
    const made = mkdtempSync(join(tmpdir(), 'headroom-compiled-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    compiled = made;
  }
  return { XDG_CACHE_HOME: compiled, HF_HOME: join(current, '.cache/huggingface') };
}

/** The same in a terminal of Linux (script of util-linux), in which this line is typed. */
export const answeredInTerminal = (line: string, ...args: readonly string[]): Ended =>
  ended(
    ['/usr/bin/script', '-qec', [process.execPath, CLI, ...args].join(' '), '/dev/null'],
    undefined,
    `${line}\n`,
  );

function ended([program = '', ...args]: readonly string[], uid?: number, input?: string): Ended {
  // An empty PATH, so that no GPU tool of the machine answers. The undo state stays in the folder.
  const env = {
    ...withCompiled(uid),
    PATH: '',
    XDG_STATE_HOME: join(current, 'state'),
    HOME: current,
    NO_COLOR: '1',
  };
  const run = spawnSync(program, args, {
    cwd: current,
    env,
    encoding: 'utf8',
    timeout: 60_000,
    ...(uid === undefined ? {} : { uid, gid: uid }),
    ...(input !== undefined && { input }),
  });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

/** Writes a file to the folder; returns its name. */
export function file(name: string, content: string | Buffer): string {
  writeFileSync(join(current, name), content);
  return name;
}
