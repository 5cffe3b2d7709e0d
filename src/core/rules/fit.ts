import { describeDevice } from '../hardware/describe';
import type { DeviceEstimate, Term } from '../memory/estimate';
import { profileOf } from '../memory/frameworks/profileOf';
import { phaseText, room, termInWords } from '../memory/words';
import type { RunSpec } from '../spec/runSpec';
import { formatBytes, formatCapacity, formatShare } from '../units';
import type { Rule } from './rule';
import { smallMicroBatch } from './smallMicroBatch';
import { listed } from './when';

export const doesNotFit: Rule = {
  id: 'does-not-fit',
  severity: 'warning',
  summary: 'The run needs more memory than the GPU has.',
  sources: ['the estimate; its terms and formulas are in the hover'],
  check({ estimate, target }) {
    // Host RAM has a separate rule.
    if (estimate?.onMachine) return [];
    const device = estimate?.devices.find(one => one.verdict === 'exceeds');
    const capacity = device?.capacityBytes ?? null;
    if (!device || capacity === null) return [];
    // A server that does not start has rules of its own.
    const { served } = device;
    if (served && (served.refusal !== null || (served.sequences < 1 && !served.cutsRequests))) return [];
    const message =
      `Needs ≈ ${formatBytes(device.device.expected)}, ${describeDevice(device)} has ` +
      `${room(device)}${heldText(target?.busyMiB ?? 0)}. Peak in the ${phaseText(device.peakPhase)}. ` +
      `Largest: ${largest(device)
        .map(({ term, bytes }) => `${termInWords(term)} ${formatBytes(bytes)}`)
        .join(', ')}. ` +
      'Quick fixes help; Optimize finds a combination that fits.';
    return [{ at: ['quantity:microBatchSize', 'quantity:model'], message, plan: 'fit' }];
  },
};

/** Memory that other processes hold on the device now. */
function heldText(busyMiB: number): string {
  return busyMiB > 0 ? `, ${formatBytes(busyMiB * 2 ** 20)} of it used by other processes` : '';
}

function largest(device: DeviceEstimate): readonly Term[] {
  return device.terms.toSorted((a, b) => b.bytes - a.bytes).slice(0, 2);
}

export const tight: Rule = {
  id: 'tight',
  severity: 'information',
  summary: 'The run fits, but only just.',
  sources: ['the estimate and its interval'],
  check({ estimate, run }) {
    const device = estimate?.devices.find(one => one.verdict === 'tight');
    const capacity = device?.capacityBytes ?? null;
    if (!device || capacity === null || estimate?.onMachine || fillsItsShare(run)) return [];
    const message =
      `Fits, but tight: ≈ ${formatBytes(device.device.expected)} of ${formatCapacity(capacity)}, ` +
      `and it could reach ${formatBytes(device.device.high)}. ` +
      `Keep other programs off ${describeDevice(device).replace(/,$/, '')}, or apply a fix that frees memory.`;
    return [{ at: ['quantity:microBatchSize', 'quantity:model'], message, plan: 'fit' }];
  },
};

/** An engine that fills its share of the GPU with keys and values leaves nothing on purpose. */
const fillsItsShare = ({ framework }: RunSpec): boolean => profileOf(framework).serving !== null;

/** The guides call a GPU underused when training uses only 30–50 % of its memory. */
const ENOUGH = 0.5;

export const underUsed: Rule = {
  id: 'under-used',
  severity: 'hint',
  summary: 'The run uses less than half of the GPU and could be faster.',
  sources: [
    'training-memory guide, “Memory Underutilized”: 30–50 % used and slower than expected',
    'utilisation guide, “Scale up model and batch size to better utilize GPU”',
  ],
  check(context) {
    const { estimate, run } = context;
    const device = estimate?.devices[0];
    if (!device?.usableBytes || device.capacityBytes === null || device.verdict !== 'fits') return [];
    // The upper end counts: with a wide interval, no memory is known to be spare.
    if (device.device.high >= device.usableBytes * ENOUGH) return [];
    // Serving, merging and exporting have no batch to grow.
    if (!device.phases.some(({ phase }) => phase === 'backward')) return [];
    // Where the gain is computed, it says more.
    if (smallMicroBatch.check(context).length > 0) return [];
    const share = formatShare(device.device.expected / device.capacityBytes);
    const message =
      `Uses ≈ ${formatBytes(device.device.expected)} of ${formatCapacity(device.capacityBytes)} ` +
      `on ${describeDevice(device)} (${share}). ` +
      `${listed(ways(run), 'or')} would make it faster.`;
    return [{ at: ['quantity:microBatchSize', 'quantity:model'], message, plan: 'fill' }];
  },
};

/** Uses for more memory in this run. */
function ways({ quantities }: RunSpec): readonly string[] {
  const accumulates = (quantities.gradAccum.value ?? 1) > 1;
  const batch = `A larger micro-batch${accumulates ? ' with less accumulation, at the same effective batch,' : ', with a larger effective batch,'}`;
  return quantities.gradientCheckpointing.value === true ? [batch, 'no gradient checkpointing'] : [batch];
}

export const noEstimate: Rule = {
  id: 'no-estimate',
  severity: 'hint',
  summary: 'A fact that the memory estimate needs is missing.',
  sources: ['the memory model names the facts it needs'],
  check({ model, estimate, missing }) {
    // A named but unknown model has a separate rule; without a name there is nothing to complete.
    if (estimate || model === null || missing.length === 0) return [];
    const message = `No memory estimate. Missing: ${missing.join('; ')}.`;
    return [{ at: ['quantity:model', 'quantity:microBatchSize'], message }];
  },
};
