import type { AdviceRule } from '../advice';
import { cpuLoad, isSawTooth, utilisationAtWork } from '../busy';
import { overMinutes, share } from '../signals';

/** All cores together: from here on more workers only wait for each other. */
const CPU_FULL_PCT = 90;
/** Up to here there are cores for more workers. */
const CPU_FREE_PCT = 60;

/** Bursts between pauses: what feeds the GPU is slower than the GPU. */
export const waitsForInput: AdviceRule = {
  id: 'waits-for-input',
  source:
    'embedding batch guide, “Optimization Signals”: GPU waiting for CPU → CPU bottleneck; ' +
    'training-memory guide, “Optimize num_workers”: try 0, 2, 4, 8',
  check(signals) {
    const util = utilisationAtWork(signals);
    const cpu = cpuLoad(signals);
    // Without the CPU's load a pause could as well be an evaluation, a checkpoint or the network.
    if (util === null || cpu === null || !isSawTooth(util)) return null;
    if (cpu > CPU_FREE_PCT && cpu < CPU_FULL_PCT) return null;
    const pauses = Math.round(100 * share(util, value => value <= 30));
    const signal = `utilization goes up and down, idle in ${pauses} % of the readings, CPU ${Math.round(cpu)} %, ${overMinutes(util)}`;
    const message =
      cpu >= CPU_FULL_PCT
        ? 'The GPU pauses while the CPU is full: preprocess the data once and store it, or use a machine with more ' +
          'cores. More data workers would not help.'
        : 'The GPU pauses while the CPU has cores to spare: more data workers (num_workers) would feed it better.';
    return { severity: 'information', message, signal, fix: 'explain' };
  },
};
