import type { Bytes, DeviceEstimate, EstimateResult } from '../../../src/core/memory/estimate';
import type { Phase } from '../../../src/core/memory/played';
import type { Measured } from './record';
import type { Answer } from './statistics';

/** The measured rank of a pipeline; else the worst. */
function measuredOf(devices: readonly DeviceEstimate[], { stage }: Measured): DeviceEstimate | undefined {
  const found = stage && devices.find(({ name }) => name.includes(`, ${stage} of `));
  return found ?? devices[0];
}

/** The prediction in the record's metric, for as many devices as it counts. */
function amount(device: DeviceEstimate, { metric, devices, phase }: Measured): Omit<Answer, 'measured'> {
  const { low, expected, high } = phase === undefined ? device[metric] : ofPhase(device, phase);
  return { predicted: expected * devices, low: low * devices, high: high * devices };
}

/** The allocated memory in a phase, with the peak's interval. */
function ofPhase({ phases, allocated }: DeviceEstimate, wanted: Phase): Bytes {
  const expected = phases.find(({ phase }) => phase === wanted)?.bytes ?? allocated.expected;
  const share = expected / allocated.expected;
  return { low: allocated.low * share, expected, high: allocated.high * share };
}

/** The estimates for records. */
interface Answers {
  readonly answers: readonly Answer[];
  /** Records without an estimate, by missing fact; one that lacks several counts for each. */
  readonly refused: Readonly<Record<string, number>>;
}

/** Estimates in each record's own metric. */
export function answersTo(
  records: readonly Measured[],
  estimated: (measured: Measured) => EstimateResult,
): Answers {
  const answers: Answer[] = [];
  const refused: Record<string, number> = {};
  for (const measured of records) {
    const result = estimated(measured);
    const device = result.ok ? measuredOf(result.estimate.devices, measured) : undefined;
    if (device) answers.push({ measured, ...amount(device, measured) });
    if (!result.ok) for (const fact of result.missing) refused[fact] = (refused[fact] ?? 0) + 1;
  }
  const sorted = Object.entries(refused).toSorted(([, a], [, b]) => b - a);
  return { answers, refused: Object.fromEntries(sorted) };
}
