import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first of these programs that is there, by PATH and where daemons lie; null when none is. */
export function findProgram(...names: readonly string[]): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  const places = names.flatMap(name => folders.map(folder => join(folder, name)));
  return places.find(place => existsSync(place)) ?? null;
}

/** Installs a Debian package where that is possible without a question; tells why not otherwise. */
export function installed(program: string, ...packages: readonly string[]): string | null {
  if (findProgram(program)) return null;
  if (process.getuid?.() !== 0 || !findProgram('apt-get')) return `${program} is not installed`;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) => spawnSync('apt-get', [...args, '-qq'], { env, timeout: 120_000 }).status;
  const install = () => apt('install', '-y', '--no-install-recommends', ...packages);
  if (install() !== 0) {
    apt('update');
    install();
  }
  return findProgram(program) ? null : `${program} could not be installed`;
}

/** Processes on this machine whose environment or command line has a text. Linux only. */
export function processesWith(text: string): readonly number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(pid => ['environ', 'cmdline'].some(file => textOf(`/proc/${pid}/${file}`).includes(text)))
    .map(Number)
    .filter(pid => pid !== process.pid);
}

/** A process and all below it. */
export function withDescendants(pid: number): readonly number[] {
  const children = textOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return [pid, ...children.flatMap(withDescendants)];
}

export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended by itself.
    }
  }
}

/** Looks again and again until something holds; throws with what was seen last when it does not come. */
export async function until(holds: () => boolean, seen: () => unknown, ms = 20_000): Promise<void> {
  const end = Date.now() + ms;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`It did not come to pass: ${JSON.stringify(seen())}`);
    await pause(20);
  }
}

/** Starts something; where that fails half-way, what it has begun is ended, and the failure told. */
export async function orEnded(start: () => Promise<void>, end: () => Promise<void>): Promise<void> {
  try {
    await start();
  } catch (error) {
    await end().catch(() => undefined);
    throw error;
  }
}

export const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** How a program that ran beside us came to its end. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs Node beside us, so that what serves it here goes on. */
export function nodeBeside(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<Ended> {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...environment } });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text: Buffer) => (out += text.toString()));
  child.stderr.on('data', (text: Buffer) => (err += text.toString()));
  return new Promise(done => child.once('close', code => done({ code, out, err })));
}
