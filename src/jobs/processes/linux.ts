import { readFileSync } from 'node:fs';
import { readFile, readdir, readlink } from 'node:fs/promises';
import type { Processes } from './process';
import type { ProcessRow } from './process';

/** Start times count from the boot, so they are unique only together with the boot id. */
let boot: string | null = null;

function bootOf(): string {
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
  return boot;
}

/**
 * `pid (name) state ppid pgrp …`: the name may contain anything, so fields count from its last parenthesis
 * (proc(5)).
 */
function rowOf(stat: string): ProcessRow | null {
  const end = stat.lastIndexOf(')');
  const [state, parent, group, ...rest] = stat.slice(end + 2).split(' ');
  // starttime is field 22; `rest` starts at field 6, after pgrp.
  const start = rest[16];
  if (end < 0 || start === undefined || state === 'Z' || state === 'X') return null;
  return {
    pid: Number.parseInt(stat, 10),
    parent: Number(parent),
    group: Number(group),
    start: `${bootOf()}/${start}`,
    name: stat.slice(stat.indexOf('(') + 1, end),
  };
}

async function of(pid: number): Promise<ProcessRow | null> {
  try {
    return rowOf(await readFile(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return null;
  }
}

/** Reads /proc; starts no process. */
export const linuxProcesses: Processes = {
  of,
  async all() {
    const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name));
    const rows = await Promise.all(pids.map(pid => of(Number(pid))));
    return rows.filter(row => row !== null);
  },
  async startedWith(pid, name, value) {
    try {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
      return environment.split('\0').includes(`${name}=${value}`);
    } catch {
      // Another user's process, or gone.
      return false;
    }
  },
  async printsInto(pid, path) {
    const links = [1, 2].map(stream => readlink(`/proc/${pid}/fd/${stream}`).catch(() => null));
    return (await Promise.all(links)).includes(path);
  },
};
