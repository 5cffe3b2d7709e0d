import { cpus, freemem, totalmem } from 'node:os';
import { readFile } from 'node:fs/promises';
import type { MachineLoad } from './fleet';
import { MIB } from '../core/units';

/**
 * CPU and memory of this machine; the CPU's load is the average since the previous call, and unknown on the first.
 */
export function localLoad(): () => Promise<MachineLoad> {
  let before: Ticks | null = null;
  return async () => {
    const now = ticksNow();
    const cpuPct = before === null ? null : busyPct(before, now);
    before = now;
    const total = totalmem();
    const available = (await availableBytes()) ?? freemem();
    return {
      cpuPct,
      memoryTotalMiB: Math.round(total / MIB),
      memoryUsedMiB: Math.round((total - available) / MIB),
    };
  };
}

interface Ticks {
  readonly busy: number;
  readonly all: number;
}

function ticksNow(): Ticks {
  let all = 0;
  let idle = 0;
  for (const { times } of cpus()) {
    all += times.user + times.nice + times.sys + times.idle + times.irq;
    idle += times.idle;
  }
  return { busy: all - idle, all };
}

function busyPct(before: Ticks, now: Ticks): number | null {
  const all = now.all - before.all;
  return all <= 0 ? null : Math.round((100 * (now.busy - before.busy)) / all);
}

/** Linux: available memory including file caches, which `free` leaves out. */
async function availableBytes(): Promise<number | null> {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '');
  const found = /^MemAvailable:\s+(\d+) kB/m.exec(text);
  return found ? Number(found[1]) * 1024 : null;
}
