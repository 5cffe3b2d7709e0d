import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A mount of cgroup v2 in /proc/self/mountinfo: `… root mountpoint … - cgroup2 …` (proc(5)). */
const MOUNT = /^\d+ \d+ \d+:\d+ (\S+) (\S+) .* - cgroup2 /m;
/** This process's cgroup in the unified hierarchy (cgroups(7)). */
const OWN = /^0::(\/.*)$/m;

/** The folder of this process's cgroup v2; null if there is none. */
function ownGroup(): string | null {
  try {
    const [, root = '/', mounted] = MOUNT.exec(readFileSync('/proc/self/mountinfo', 'utf8')) ?? [];
    const own = OWN.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
    if (mounted === undefined || own === undefined) return null;
    const below = relative(root, own);
    return below.startsWith('..') ? null : join(mounted, below);
  } catch {
    return null;
  }
}

/**
 * A cgroup for one job: its processes stay in it whatever session, group or parent they move to. Null if this user
 * may not create one; then the job's mark, its process group and its descendants identify its processes.
 */
export function makeGroup(id: string): string | null {
  const own = process.platform === 'linux' ? ownGroup() : null;
  if (own === null) return null;
  const group = join(own, `headroom-${id}`);
  try {
    mkdirSync(group);
    // Permission to move a process differs from permission to create a folder: a cgroup that cannot be used does
    // not count.
    within(group, () => undefined);
    return group;
  } catch {
    try {
      rmdirSync(group);
    } catch {
      // It was not created.
    }
    return null;
  }
}

/**
 * Starts something in a cgroup: a child inherits its parent's cgroup, so that not even its first fork is outside.
 */
export function within<T>(group: string | null, start: () => T): T {
  if (group === null) return start();
  writeFileSync(join(group, 'cgroup.procs'), '0');
  try {
    return start();
  } finally {
    writeFileSync(join(dirname(group), 'cgroup.procs'), '0');
  }
}

/** The processes of a cgroup and its children; empty if it is gone. */
export async function pidsIn(group: string): Promise<ReadonlySet<number>> {
  const text = await readFile(join(group, 'cgroup.procs'), 'utf8').catch(() => '');
  const entries = await readdir(group, { withFileTypes: true }).catch(() => []);
  const below = entries.filter(entry => entry.isDirectory()).map(({ name }) => pidsIn(join(group, name)));
  const inner = await Promise.all(below);
  return new Set([...text.split('\n').filter(Boolean).map(Number), ...inner.flatMap(pids => [...pids])]);
}

/** Kills a whole cgroup at once, so that no process can fork meanwhile; kernels before 5.14 lack this file. */
export const killGroup = (group: string): Promise<void> =>
  writeFile(join(group, 'cgroup.kill'), '1').catch(() => undefined);

const RETRY_MS = 500;

/** Removes a cgroup as soon as it is empty, within this time; otherwise it stays. */
export async function removeGroup(group: string, withinMs: number): Promise<void> {
  const endMs = Date.now() + withinMs;
  for (;;) {
    const isRemoved = await rmdir(group).then(
      () => true,
      (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT',
    );
    if (isRemoved || Date.now() >= endMs) return;
    await pause(RETRY_MS);
  }
}
