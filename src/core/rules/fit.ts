import { describeDevice } from '../hardware/describe';
import type { DeviceEstimate, Term } from '../memory/estimate';
import { profileOf } from '../memory/frameworks/profileOf';
import { phaseText, room, termInWords } from '../memory/words';
import type { RunSpec } from '../spec/runSpec';
import { formatBytes, formatCapacity, formatShare, MIB } from '../units';
import type { Rule } from './rule';
import { smallMicroBatch } from './smallMicroBatch';
import { commas, toldList } from '../text/lists';
import type { Say } from '../text/say';

export const doesNotFit: Rule = {
  id: 'does-not-fit',
  severity: 'warning',
  summary: 'The run needs more memory than the GPU has.',
  sources: ['the estimate; its terms and formulas are in the hover'],
  check({ estimate, target, say }) {
    // Host RAM has a separate rule.
    if (estimate?.onMachine) return [];
    const device = estimate?.devices.find(one => one.verdict === 'exceeds');
    const capacity = device?.capacityBytes ?? null;
    if (!device || capacity === null) return [];
    // A server that does not start has rules of its own.
    const { served } = device;
    if (served && (served.refusal !== null || (served.sequences < 1 && !served.cutsRequests))) return [];
    const message = say(
      '{0} Peak in the {1}. Largest: {2}. Quick fixes help; Optimize finds a combination that fits.',
      needText(say, device, target?.busyMiB ?? 0),
      phaseText(say, device.peakPhase),
      commas(
        say,
        largest(device).map(({ term, bytes }) => `${termInWords(say, term)} ${formatBytes(bytes)}`),
      ),
    );
    return [{ at: ['quantity:microBatchSize', 'quantity:model'], message, plan: 'fit' }];
  },
};

/** What it needs against what the device has, some of which other processes may hold now. */
function needText(say: Say, device: DeviceEstimate, busyMiB: number): string {
  const need = formatBytes(device.device.expected);
  const [name, has] = [describeDevice(say, device), room(say, device)];
  return busyMiB > 0
    ? say(
        'Needs ≈ {0}, {1} has {2}, {3} of it used by other processes.',
        need,
        name,
        has,
        formatBytes(busyMiB * MIB),
      )
    : say('Needs ≈ {0}, {1} has {2}.', need, name, has);
}

function largest(device: DeviceEstimate): readonly Term[] {
  return device.terms.toSorted((a, b) => b.bytes - a.bytes).slice(0, 2);
}

export const tight: Rule = {
  id: 'tight',
  severity: 'information',
  summary: 'The run fits, but only just.',
  sources: ['the estimate and its interval'],
  check({ estimate, run, say }) {
    const device = estimate?.devices.find(one => one.verdict === 'tight');
    const capacity = device?.capacityBytes ?? null;
    if (!device || capacity === null || estimate?.onMachine || fillsItsShare(run)) return [];
    const message = say(
      'Fits, but tight: ≈ {0} of {1}, and it could reach {2}. Keep other programs off {3}, or apply a fix that frees memory.',
      formatBytes(device.device.expected),
      formatCapacity(capacity),
      formatBytes(device.device.high),
      describeDevice(say, device).replace(/,$/, ''),
    );
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
    const { say } = context;
    const message = say(
      'Uses ≈ {0} of {1} on {2} ({3}). {4}',
      formatBytes(device.device.expected),
      formatCapacity(device.capacityBytes),
      describeDevice(say, device),
      share,
      waysText(say, run),
    );
    return [{ at: ['quantity:microBatchSize', 'quantity:model'], message, plan: 'fill' }];
  },
};

/** Uses for more memory in this run. */
function waysText(say: Say, { quantities }: RunSpec): string {
  const accumulates = (quantities.gradAccum.value ?? 1) > 1;
  if (quantities.gradientCheckpointing.value === true) {
    return accumulates
      ? say(
          'A larger micro-batch with less accumulation, at the same effective batch, or no gradient checkpointing would make it faster.',
        )
      : say(
          'A larger micro-batch, with a larger effective batch, or no gradient checkpointing would make it faster.',
        );
  }
  return accumulates
    ? say('A larger micro-batch with less accumulation, at the same effective batch, would make it faster.')
    : say('A larger micro-batch, with a larger effective batch, would make it faster.');
}

export const noEstimate: Rule = {
  id: 'no-estimate',
  severity: 'hint',
  summary: 'A fact that the memory estimate needs is missing.',
  sources: ['the memory model names the facts it needs'],
  check({ model, estimate, missing, say }) {
    // A named but unknown model has a separate rule; without a name there is nothing to complete.
    if (estimate || model === null || missing.length === 0) return [];
    const message = say('No memory estimate. Missing: {0}.', toldList(say, missing));
    return [{ at: ['quantity:model', 'quantity:microBatchSize'], message }];
  },
};
