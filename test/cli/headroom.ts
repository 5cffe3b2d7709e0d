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

/** The command line as users start it: the built bundle, as a process of its own. */
const CLI = resolve('dist/cli.js');

let current = '';

/** Gives each test of the file a folder of its own, in which `headroom` runs. */
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

/** The bundle where every user can read it: the clone may lie where only its owner can. */
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

/** Lets every user read what is in a folder, whatever the umask. */
function readableByAll(path: string): void {
  chmodSync(path, 0o755);
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' })) {
    const each = join(path, name);
    chmodSync(each, statSync(each).isDirectory() ? 0o755 : 0o644);
  }
}

/** Takes from root what lets it write where permissions say it may not. */
const BOUND = ['/usr/bin/setpriv', '--bounding-set', '-dac_override', '--inh-caps', '-dac_override'];

/** The same by somebody for whom permissions count; null for root where that cannot be had. */
export function headroomBound(...args: readonly string[]): Ended | null {
  if (process.getuid?.() !== 0) return headroom(...args);
  return existsSync(BOUND[0] ?? '') ? ended([...BOUND, process.execPath, CLI, ...args]) : null;
}

/** The same as another user; only root may. */
export function headroomAs(uid: number | undefined, ...args: readonly string[]): Ended {
  return ended([process.execPath, uid === undefined ? CLI : sharedCli(), ...args], uid);
}

function ended([program = '', ...args]: readonly string[], uid?: number): Ended {
  // An empty PATH: no GPU tool of the machine may answer. The state of undo stays in the folder, and nothing else.
  const env = {
    NODE_DISABLE_COMPILE_CACHE: '1',
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
  });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

/** Writes a file into the folder; returns its name. */
export function file(name: string, content: string | Buffer): string {
  writeFileSync(join(current, name), content);
  return name;
}
