import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A mount of cgroup v2 in /proc/self/mountinfo: `… root mountpoint … - cgroup2 …` (proc(5)). */
const MOUNT = /^\d+ \d+ \d+:\d+ (\S+) (\S+) .* - cgroup2 /m;
/** This process's own group of the unified hierarchy (cgroups(7)). */
const OWN = /^0::(\/.*)$/m;

/** The folder of this process's own group of cgroup v2; null where there is none. */
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
 * A group of the kernel's for one job: whatever session, group or parent its processes move to, they stay in it. Null
 * where this user may not make one; the job's mark, its process group and its descendants tell its processes then.
 */
export function makeGroup(id: string): string | null {
  const own = process.platform === 'linux' ? ownGroup() : null;
  if (own === null) return null;
  const group = join(own, `headroom-${id}`);
  try {
    mkdirSync(group);
    // The right to move a process is another than that to make a folder: one that cannot be used is none.
    within(group, () => undefined);
    return group;
  } catch {
    try {
      rmdirSync(group);
    } catch {
      // It was not made.
    }
    return null;
  }
}

/** Starts something in a group: a child is born where its parent is, so that not even its first fork is outside. */
export function within<T>(group: string | null, start: () => T): T {
  if (group === null) return start();
  writeFileSync(join(group, 'cgroup.procs'), '0');
  try {
    return start();
  } finally {
    writeFileSync(join(dirname(group), 'cgroup.procs'), '0');
  }
}

/** The processes of a group and of those that were made below it; none where it is gone. */
export async function pidsIn(group: string): Promise<ReadonlySet<number>> {
  const text = await readFile(join(group, 'cgroup.procs'), 'utf8').catch(() => '');
  const entries = await readdir(group, { withFileTypes: true }).catch(() => []);
  const below = entries.filter(entry => entry.isDirectory()).map(({ name }) => pidsIn(join(group, name)));
  const inner = await Promise.all(below);
  return new Set([...text.split('\n').filter(Boolean).map(Number), ...inner.flatMap(pids => [...pids])]);
}

/** Kills all of a group at once, so that none can fork meanwhile; older kernels than 5.14 have no such file. */
export const killGroup = (group: string): Promise<void> =>
  writeFile(join(group, 'cgroup.kill'), '1').catch(() => undefined);

const RETRY_MS = 500;

/** Takes a group away as soon as it is empty, within this time; one that is not by then stays. */
export async function removeGroup(group: string, withinMs: number): Promise<void> {
  const endMs = Date.now() + withinMs;
  for (;;) {
    const isGone = await rmdir(group).then(
      () => true,
      (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT',
    );
    if (isGone || Date.now() >= endMs) return;
    await pause(RETRY_MS);
  }
}
