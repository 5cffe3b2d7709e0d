import { formatBytes, formatShare, MIB } from '../../units';
import type { AdviceRule } from '../advice';
import { cpuLoad, isSawTooth, LOW_UTIL_PCT, memoryShare, SPARE_SHARE, utilizationAtWork } from '../busy';
import { highest, median, periodText, recent, share } from '../signals';
import type { Holder } from '../signals';
import type { Say } from '../../text/say';

/** Busy less than half of the time, with spare memory: each step is too small to fill the GPU. */
export const lowUtilisation: AdviceRule = {
  id: 'low-utilisation',
  source: 'embedding batch guide, “Optimization Signals”: GPU util < 50 % → batch too small → increase it',
  check(signals, say) {
    const util = utilizationAtWork(signals);
    const full = memoryShare(signals);
    if (util === null || full === null || full >= SPARE_SHARE) return null;
    // Bursts between pauses mean a slow input pipeline, not a small batch.
    if (median(util) >= LOW_UTIL_PCT || isSawTooth(util)) return null;
    return {
      severity: 'information',
      message: say(
        'The GPU waits for work most of the time and has memory to spare: a larger batch would use both.',
      ),
      signal: say(
        'utilization {0} % (median), memory at most {1}, {2}',
        Math.round(median(util)),
        formatShare(full),
        periodText(say, util),
      ),
      fix: 'optimize',
    };
  },
};

/** Load of all cores: above this, more workers only wait for each other. */
const CPU_FULL_PCT = 90;
/** Below this there are cores for more workers. */
const CPU_FREE_PCT = 60;

/** Bursts between pauses: the input pipeline is slower than the GPU. */
export const waitsForInput: AdviceRule = {
  id: 'waits-for-input',
  source:
    'embedding batch guide, “Optimization Signals”: GPU waiting for CPU → CPU bottleneck; ' +
    'training-memory guide, “Optimize num_workers”: try 0, 2, 4, 8',
  check(signals, say) {
    const util = utilizationAtWork(signals);
    const cpu = cpuLoad(signals);
    // Without the CPU's load, a pause could also be an evaluation, a checkpoint or the network.
    if (util === null || cpu === null || !isSawTooth(util)) return null;
    if (cpu > CPU_FREE_PCT && cpu < CPU_FULL_PCT) return null;
    const pauses = Math.round(100 * share(util, value => value <= 30));
    const signal = say(
      'utilization goes up and down, idle in {0} % of the readings, CPU {1} %, {2}',
      pauses,
      Math.round(cpu),
      periodText(say, util),
    );
    const message =
      cpu >= CPU_FULL_PCT
        ? say(
            'The GPU pauses while the CPU is full: preprocess the data once and store it, or use a machine with more cores. More data workers would not help.',
          )
        : say(
            'The GPU pauses while the CPU has cores to spare: more data workers (num_workers) would feed it better.',
          );
    return { severity: 'information', message, signal, fix: 'explain' };
  },
};

/** It computes all the time: the input pipeline waits for it. */
const LIMIT_UTIL_PCT = 95;

/** At full load with its memory in use: no setting of the run makes it much faster. */
export const gpuIsTheLimit: AdviceRule = {
  id: 'gpu-is-the-limit',
  source:
    'embedding batch guide, “Optimization Signals”: CPU waiting for GPU → GPU bottleneck → add more GPUs',
  check(signals, say) {
    const util = utilizationAtWork(signals);
    const full = memoryShare(signals);
    if (util === null || full === null || full < SPARE_SHARE || median(util) < LIMIT_UTIL_PCT) return null;
    return {
      severity: 'information',
      message: say(
        'The GPU is the limit: it computes almost all the time. More GPUs or a faster one shorten the run.',
      ),
      signal: say(
        'utilization {0} % (median), memory up to {1}, {2}',
        Math.round(median(util)),
        formatShare(full),
        periodText(say, util),
      ),
      fix: null,
    };
  },
};

/** A context alone takes less than this; so do a desktop's windows. */
const LEAST_MIB = 1024;

/** Memory is held but not used. */
export const heldIdle: AdviceRule = {
  id: 'held-idle',
  source: 'training-memory guide, “Monitoring During Training”: nvidia-smi shows what is used, and by whom',
  check({ utilPct, holders, nowMs }, say) {
    const util = recent(utilPct, nowMs);
    if (util === null || highest(util) > 1 || holders === null) return null;
    const [most] = holders
      .filter(one => !one.graphicsOnly && (one.memoryUsedMiB ?? 0) >= LEAST_MIB)
      .sort((a, b) => (b.memoryUsedMiB ?? 0) - (a.memoryUsedMiB ?? 0));
    if (!most) return null;
    const held = formatBytes((most.memoryUsedMiB ?? 0) * MIB);
    return {
      severity: 'information',
      message: say(
        "{0} uses {1} but is idle. If it isn't a waiting server, stop it to free the memory.",
        describeHolder(say, most),
        held,
      ),
      signal: say('utilization never above {0} %, {1}', Math.round(highest(util)), periodText(say, util)),
      fix: 'processes',
    };
  },
};

/** Names come with or without their path. */
function describeHolder(say: Say, { name, pid, user }: Holder): string {
  const program = name?.split(/[\\/]/).at(-1) ?? say('A program');
  const process = pid ?? 'null';
  return user === null
    ? say('{0} (process {1})', program, process)
    : say('{0} of {1} (process {2})', program, user, process);
}
