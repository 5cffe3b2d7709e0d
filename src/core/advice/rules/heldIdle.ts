import type { AdviceRule } from '../advice';
import { formatBytes } from '../../units';
import { highest, overMinutes, recent } from '../signals';
import type { Holder } from '../signals';
import { MIB } from '../../units';

/** A context alone takes less than this; a desktop's windows, too. */
const LEAST_MIB = 1024;

/** Memory is held, and nothing is done with it. */
export const heldIdle: AdviceRule = {
  id: 'held-idle',
  source: 'training-memory guide, “Monitoring During Training”: nvidia-smi shows what is used, and by whom',
  check({ utilPct, holders, nowMs }) {
    const util = recent(utilPct, nowMs);
    if (util === null || highest(util) > 1 || holders === null) return null;
    const [most] = holders
      .filter(one => !one.graphicsOnly && (one.memoryUsedMiB ?? 0) >= LEAST_MIB)
      .sort((a, b) => (b.memoryUsedMiB ?? 0) - (a.memoryUsedMiB ?? 0));
    if (!most) return null;
    const held = formatBytes((most.memoryUsedMiB ?? 0) * MIB);
    return {
      severity: 'information',
      message: `${inWords(most)} uses ${held} but is idle. If it isn't a waiting server, stop it to free the memory.`,
      signal: `utilization never above ${Math.round(highest(util))} %, ${overMinutes(util)}`,
      fix: 'processes',
    };
  },
};

function inWords({ name, pid, user }: Holder): string {
  const whose = user === null ? '' : ` of ${user}`;
  return `${shortName(name)}${whose} (process ${pid})`;
}

/** Names come with or without their path. */
const shortName = (name: string | null): string => name?.split(/[\\/]/).at(-1) ?? 'A program';
