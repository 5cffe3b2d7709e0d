import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { redactedCommand } from '../core/text/redact';
import type { GpuProcess } from './sample';

/** A process's user and command; null: unknown. */
interface Owner {
  readonly user: string | null;
  /** With secrets masked. */
  readonly command: string | null;
  readonly container: string | null;
}

/** Looks up processes of this machine by pid; missing and hidden ones are omitted. */
export type Owners = (pids: readonly number[]) => Promise<ReadonlyMap<number, Owner>>;

const NO_OWNERS: Owners = () => Promise.resolve(new Map());

/** How this system finds owners; Windows has no cheap way. */
export function ownersOf(platform: NodeJS.Platform): Owners {
  if (platform === 'linux') return pids => procOwners(pids);
  return platform === 'darwin' ? psOwners : NO_OWNERS;
}

/** From /proc, without starting a process. */
export async function procOwners(
  pids: readonly number[],
  root = '/proc',
  passwd = '/etc/passwd',
): Promise<ReadonlyMap<number, Owner>> {
  const users = usersIn(await textOf(passwd));
  const owners = pids.map(async pid => {
    const [status, cmdline, cgroup] = await Promise.all(
      ['status', 'cmdline', 'cgroup'].map(file => textOf(`${root}/${pid}/${file}`)),
    );
    const uid = /^Uid:\s+(\d+)/m.exec(status ?? '')?.[1];
    if (uid === undefined) return [];
    const args = (cmdline ?? '').split('\0').filter(Boolean);
    const owner: Owner = {
      user: users.get(uid) ?? uid,
      command: args.length === 0 ? null : redactedCommand(args),
      container: containerIn(cgroup ?? ''),
    };
    return [[pid, owner] as const];
  });
  return new Map((await Promise.all(owners)).flat());
}

function usersIn(passwd: string | null): ReadonlyMap<string, string> {
  const lines = (passwd ?? '').split('\n').map(line => line.split(':'));
  return new Map(lines.flatMap(([name, , uid]) => (name && uid ? [[uid, name] as const] : [])));
}

/** Docker, containerd, CRI-O and Kubernetes name a container's cgroup after its id of 64 hexadecimal digits. */
function containerIn(cgroup: string): string | null {
  return /\b([0-9a-f]{12})[0-9a-f]{52}\b/.exec(cgroup)?.[1] ?? null;
}

const PS_TIMEOUT_MS = 3000;

/** From ps, for systems without /proc. */
const psOwners: Owners = pids =>
  new Promise(resolve => {
    if (pids.length === 0) {
      resolve(new Map());
      return;
    }
    const args = ['-ww', '-o', 'pid=,user=,args=', '-p', pids.join(',')];
    execFile('/bin/ps', args, { timeout: PS_TIMEOUT_MS }, (_, stdout) => resolve(readPs(stdout)));
  });

/** Output of `ps -o pid=,user=,args=`. */
export function readPs(text: string): ReadonlyMap<number, Owner> {
  const rows = text.split('\n').flatMap(line => {
    const [, pid, user, args] = /^\s*(\d+)\s+(\S+)\s+(.*)/.exec(line.trimEnd()) ?? [];
    if (pid === undefined || user === undefined) return [];
    const command = args ? redactedCommand(args.split(' ')) : null;
    return [[Number(pid), { user, command, container: null }] as const];
  });
  return new Map(rows);
}

/**
 * Adds owners to processes. In a container, a tool reports the host's pids: if a process's program differs from the
 * one that the tool names, it is another process with the same pid, and its owner is omitted.
 */
export async function withOwners(
  processes: readonly GpuProcess[],
  owners: Owners,
): Promise<readonly GpuProcess[]> {
  const found = await owners([...new Set(processes.flatMap(({ pid }) => pid ?? []))]);
  return processes.map(process => {
    const owner = process.pid === null ? undefined : found.get(process.pid);
    return owner && isOf(process, owner) ? { ...process, ...owner } : process;
  });
}

function isOf({ name }: GpuProcess, { command }: Owner): boolean {
  if (name === null || command === null) return false;
  const program = lastPart(command.split(' ')[0] ?? '');
  const named = lastPart(name.replace(/^\.\.\./, '').split(' ')[0] ?? '');
  return named !== '' && program !== '' && (program.startsWith(named) || named.startsWith(program));
}

const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

function textOf(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(() => null);
}
