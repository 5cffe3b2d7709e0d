import type { Target } from '../../hardware/gpu';
import type { RunSpec } from '../../spec/runSpec';
import { MIB } from '../../units';
import type { Bytes, EstimateResult, HostEstimate, Verdict } from '../estimate';
import { verdictOf } from '../estimate';
import { spreadsOf, interval } from '../interval';
import { idle, isOnHost, recordingsOf } from '../playing';
import type { Extent } from '../reserved';
import type { MemorySession } from '../session';
import type { Plan, SetUp } from '../setup/setUp';
import { hostOf } from './estimate';

/** Nothing is reserved on a CPU: its allocator allocates and frees exactly what is requested. */
const ALLOCATED: Extent = { reserving: 'typical', enoughBytes: Infinity };

/**
 * True if a run computes on the CPU, or on an Apple GPU that the target does not name: no other GPU holds any of
 * it.
 */
export function runsOnMachine(
  { quantities: { accelerator, devices } }: RunSpec,
  target: Target | null,
): boolean {
  if (accelerator.value === 'mps') return target?.gpu?.vendor !== 'Apple';
  return accelerator.value === 'cpu' || devices.value === 0;
}

/**
 * Host RAM decides if both amounts are known. A run on the CPU needs no GPU memory in any case; one on Apple's GPU
 * computes in the Mac's memory, whose amount only its chip tells.
 */
function verdictOnMachine(host: HostEstimate | null, isApple: boolean): Verdict {
  const capacity = host?.capacityBytes ?? null;
  if (host === null || capacity === null) return isApple ? 'unknown' : 'fits';
  return verdictOf(host.bytes, host.bytes.low, capacity);
}

/** The machine's RAM, if known: the target's own amount wins. */
interface Machine {
  readonly session: MemorySession;
  /** Host RAM of the machine that the run starts on, in MiB. */
  readonly hostMiB: number | null;
}

/**
 * A run that computes on the CPU, without GPU memory. Host RAM is that of the same pass (tape) plus its processes;
 * unknown if the pass is not modeled.
 */
export function estimateOnMachine(
  run: RunSpec,
  found: SetUp,
  target: Target | null,
  machine: Machine,
): EstimateResult {
  // A run for Apple's GPU goes to a Mac, which may be a different machine.
  const isApple = run.quantities.accelerator.value === 'mps';
  const hostMiB = isApple ? null : machine.hostMiB;
  const host = found.ok ? capacityOf(hostOn(run, found.plan, target, machine.session), hostMiB) : null;
  const unknown = found.ok ? [] : [`the machine's memory: needs ${found.missing.join('; ')}`];
  return {
    ok: true,
    estimate: {
      devices: [idle(target, verdictOnMachine(host, isApple))],
      host,
      onMachine: true,
      notCounted: unknown,
      assumptions: found.ok ? found.plan.assumptions : [],
    },
  };
}

function hostOn(
  run: RunSpec,
  plan: Plan,
  target: Target | null,
  session: MemorySession,
): HostEstimate | null {
  const computed = isOnHost(plan.memoryRun) ? null : computedBytes(plan, session);
  return hostOf(run, plan.memoryRun, target, computed);
}

/** The peak of the pass on the tape. */
function computedBytes(plan: Plan, session: MemorySession): Bytes {
  const peaks = recordingsOf(plan, ALLOCATED).map(({ played }) =>
    Math.max(0, ...(played?.phases ?? []).map(({ peak }) => peak.bytes)),
  );
  return interval(Math.max(...peaks), spreadsOf(plan.memoryRun, false, session.measured).allocated);
}

function capacityOf(host: HostEstimate | null, hostMiB: number | null): HostEstimate | null {
  if (host?.capacityBytes !== null || hostMiB === null) return host;
  return { ...host, capacityBytes: hostMiB * MIB };
}
