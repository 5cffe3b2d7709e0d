import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { signalIfThere } from '../signals';

/** The first of these programs that exists, on PATH or in the daemons' folders; null if there is none. */
export function findProgram(...names: readonly string[]): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  const places = names.flatMap(name => folders.map(folder => join(folder, name)));
  return places.find(place => existsSync(place)) ?? null;
}

/** Installs a Debian package if that is possible without a prompt; otherwise returns why not. */
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

/** Processes on this machine whose environment or command line contains a text. Linux only. */
export function processesWith(text: string): readonly number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(pid => ['environ', 'cmdline'].some(file => textOf(`/proc/${pid}/${file}`).includes(text)))
    .map(Number)
    .filter(pid => pid !== process.pid);
}

/** A process and all its descendants. */
export function withDescendants(pid: number): readonly number[] {
  const children = textOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return [pid, ...children.flatMap(withDescendants)];
}

export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) signalIfThere(pid, name);
}

/** Polls until a condition holds; on timeout, throws with the last observation. */
export async function until(holds: () => boolean, seen: () => unknown, ms = 20_000): Promise<void> {
  const end = Date.now() + ms;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`It did not come to pass: ${JSON.stringify(seen())}`);
    await pause(20);
  }
}

/** Starts something; if that fails midway, ends what was started and rethrows the error. */
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

/** How a program ended that ran asynchronously. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs Node asynchronously, so that its servers in this process keep working. */
export function nodeBeside(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<Ended> {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...environment } });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text: Buffer) => (out += text.toString()));
  child.stderr.on('data', (text: Buffer) => (err += text.toString()));
  return new Promise(done => child.once('close', code => done({ code, out, err })));
}
