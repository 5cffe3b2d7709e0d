import type { MachineLoad } from '../fleet';

const KIB_PER_MIB = 1024;

interface CpuTicks {
  readonly busy: number;
  readonly all: number;
}

/** CPU and memory from Linux's /proc; the CPU's load is the average since the previous reading. */
export class LoadReader {
  private before: CpuTicks | null = null;

  /** Null without /proc. */
  read(cpuLine: string, memoryLines: readonly string[]): MachineLoad | null {
    const now = ticksIn(cpuLine);
    const memory = new Map(memoryLines.flatMap(line => entryOf(line)));
    if (now === null && memory.size === 0) return null;
    const cpuPct = now && this.before ? busyPct(this.before, now) : null;
    this.before = now;
    const total = memory.get('MemTotal') ?? null;
    const available = memory.get('MemAvailable') ?? memory.get('MemFree') ?? null;
    return {
      cpuPct,
      memoryTotalMiB: total,
      memoryUsedMiB: total === null || available === null ? null : total - available,
    };
  }
}

/** `cpu  user nice system idle iowait irq softirq steal …` */
function ticksIn(line: string): CpuTicks | null {
  if (!/^cpu\s+\d/.test(line)) return null;
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, ...others] = line
    .split(/\s+/)
    .slice(1, 9)
    .map(Number);
  const busy = others.reduce((sum, one) => sum + one, user + nice + system);
  const all = busy + idle + waiting;
  return Number.isFinite(all) ? { busy, all } : null;
}

function busyPct(before: CpuTicks, now: CpuTicks): number | null {
  const all = now.all - before.all;
  return all <= 0 ? null : Math.round((100 * (now.busy - before.busy)) / all);
}

/** `MemTotal:  24731708 kB` in MiB. */
function entryOf(line: string): readonly (readonly [string, number])[] {
  const [, name, kib] = /^(\w+):\s+(\d+) kB$/.exec(line) ?? [];
  return name === undefined ? [] : [[name, Math.round(Number(kib) / KIB_PER_MIB)]];
}
