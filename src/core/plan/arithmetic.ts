import type { DeviceEstimate } from '../memory/estimate';
import { batchArithmetic } from '../spec/batchArithmetic';
import { formatBytes, formatCapacity, gigabytes } from '../units';
import type { Effect } from './effect';
import { learningRateLine } from './learningRate';
import type { RemedyContext } from './remedy';

/** The proof of a plan in lines: the batch and each memory term, before and after. */
export function arithmetic(context: RemedyContext, effect: Effect): string[] {
  const { run, target, since = { run, target } } = context;
  const was = batchArithmetic(since.run, since.target?.count ?? null);
  const is = batchArithmetic(effect.run, target?.count ?? null);
  const rate = learningRateLine(context.run, effect.run);
  const lines = [
    ...(was && is && was !== is ? [`batch: ${was} → ${is}`] : []),
    ...(rate === null ? [] : [rate]),
  ];
  const after = effect.estimate?.devices[0];
  const before = context.estimate?.devices[0];
  if (after && before) lines.push(...memoryLines(before, after));
  return lines;
}

/** Smaller changes of a term are not shown. */
const LEAST_BYTES = 50 * 2 ** 20;

function memoryLines(before: DeviceEstimate, after: DeviceEstimate): string[] {
  const names = [...new Set([...before.terms, ...after.terms].map(term => term.term))];
  const bytesOf = (device: DeviceEstimate, name: string): number =>
    device.terms.filter(term => term.term === name).reduce((sum, term) => sum + term.bytes, 0);
  const changes = names
    .map(name => ({ name, was: bytesOf(before, name), is: bytesOf(after, name) }))
    .filter(({ was, is }) => Math.abs(was - is) > LEAST_BYTES)
    .map(({ name, was, is }) => `${name} ${gigabytes(was)} → ${gigabytes(is)}`);
  const capacity = after.capacityBytes === null ? '' : ` of ${formatCapacity(after.capacityBytes)}`;
  const total = `memory: ${gigabytes(before.device.expected)} → ${formatBytes(after.device.expected)}${capacity}`;
  return changes.length > 0 ? [`${total} (${changes.join(', ')})`] : [total];
}
