import type { Target } from '../hardware/gpu';
import type { ModelFacts } from '../models/model';
import type { RunSpec } from '../spec/runSpec';
import { reservedBytes } from './allocator';
import { contextBytes, libraryWorkspaceBytes } from './context';
import type { Bytes, DeviceEstimate, Estimate, EstimateResult, Verdict } from './estimate';
import { interval, spreadOf } from './interval';
import { setUp } from './setup/setUp';
import type { Plan } from './setup/setUp';
import { termsOf } from './sum';
import { play } from './timeline';
import type { Played, PlayedPhase } from './timeline';

const MIB = 2 ** 20;

/** The memory of one run on a device of the target, or the facts without which nobody can say. Pure and cheap. */
export function estimateRun(run: RunSpec, model: ModelFacts | null, target: Target | null): EstimateResult {
  const found = setUp(run, model, target);
  if (!found.ok) return found;
  return { ok: true, estimate: estimateOf(found.plan, target) };
}

function estimateOf(plan: Plan, target: Target | null): Estimate {
  const played = play(plan.architecture, plan.memoryRun);
  return {
    devices: [deviceEstimate(plan, played, target)],
    notCounted: [
      'evaluation and saving',
      'the loading of the weights',
      ...(plan.memoryRun.optimizer?.note ? [plan.memoryRun.optimizer.note] : []),
    ],
    assumptions: plan.assumptions,
  };
}

function deviceEstimate({ memoryRun }: Plan, played: Played, target: Target | null): DeviceEstimate {
  const steady = highest(played.phases);
  const { workspaces } = memoryRun.behaviour;
  const handles = memoryRun.task === 'train' ? workspaces : Math.min(workspaces, 1);
  const workspace = libraryWorkspaceBytes(target, handles);
  const allocated = steady.peak.bytes + workspace;
  const reserved = reservedBytes(allocated);
  const context = contextBytes(target);
  const spread = spreadOf();
  const device = interval(reserved + context, spread.device);
  const usable = target && (target.usableMiB - target.busyMiB) * MIB;
  return {
    name: target?.name ?? 'per GPU',
    capacityBytes: target && target.totalMiB * MIB,
    usableBytes: usable,
    device,
    reserved: interval(reserved, spread.reserved),
    allocated: interval(allocated, spread.allocated),
    verdict: verdictOf(device, usable),
    peakPhase: steady.phase,
    phases: played.phases.map(({ phase, peak }) => ({ phase, bytes: peak.bytes + workspace })),
    terms: termsOf(memoryRun, played, steady.peak, {
      libraryWorkspace: workspace,
      slack: reserved - allocated,
      context,
    }),
  };
}

/** The phase in which most is allocated. */
function highest(phases: readonly PlayedPhase[]): PlayedPhase {
  return phases.reduce((most, phase) => (phase.peak.bytes > most.peak.bytes ? phase : most));
}

function verdictOf(device: Bytes, usable: number | null): Verdict {
  if (usable === null) return 'unknown';
  if (device.expected > usable) return 'exceeds';
  return device.high > usable ? 'tight' : 'fits';
}
