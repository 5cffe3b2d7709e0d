import type { DeviceEstimate } from '../memory/estimate';
import type { TermName } from '../models/terms';
import { batchArithmetic } from '../spec/batchArithmetic';
import { formatBytes, formatCapacity, gigabytes } from '../units';
import { termInWords } from '../memory/words';
import { commas } from '../text/lists';
import type { Say } from '../text/say';
import type { Effect } from './effect';
import { learningRateLine } from './learningRate';
import type { RemedyContext } from './remedy';

/** A line of a plan's proof. */
export interface ProofLine {
  readonly text: string;
  /** The terms of its sum that change; absent: none. */
  readonly terms?: string;
}

/** A proof's line as text. */
export const proofText = ({ text, terms }: ProofLine): string =>
  terms === undefined ? text : `${text} (${terms})`;

/** The proof of a plan in lines: the batch and each memory term, before and after. */
export function arithmetic(context: RemedyContext, effect: Effect): ProofLine[] {
  const { run, target, say, since = { run, target } } = context;
  const was = batchArithmetic(since.run, since.target?.count ?? null, say);
  const is = batchArithmetic(effect.run, target?.count ?? null, say);
  const rate = learningRateLine(say, context.run, effect.run);
  const lines: ProofLine[] = [
    ...(was && is && was !== is ? [{ text: say('batch: {0} → {1}', was, is) }] : []),
    ...(rate === null ? [] : [{ text: rate }]),
  ];
  const after = effect.estimate?.devices[0];
  const before = context.estimate?.devices[0];
  if (after && before) lines.push(memoryLine(say, before, after));
  return lines;
}

/** Smaller changes of a term are not shown. */
const LEAST_BYTES = 50 * 2 ** 20;

function memoryLine(say: Say, before: DeviceEstimate, after: DeviceEstimate): ProofLine {
  const names = [...new Set([...before.terms, ...after.terms].map(term => term.term))];
  const bytesOf = (device: DeviceEstimate, name: TermName): number =>
    device.terms.filter(term => term.term === name).reduce((sum, term) => sum + term.bytes, 0);
  const changes = names
    .map(name => ({ name, was: bytesOf(before, name), is: bytesOf(after, name) }))
    .filter(({ was, is }) => Math.abs(was - is) > LEAST_BYTES)
    .map(({ name, was, is }) => `${termInWords(say, name)} ${gigabytes(was)} → ${gigabytes(is)}`);
  const [was, is] = [gigabytes(before.device.expected), formatBytes(after.device.expected)];
  const text =
    after.capacityBytes === null
      ? say('memory: {0} → {1}', was, is)
      : say('memory: {0} → {1} of {2}', was, is, formatCapacity(after.capacityBytes));
  return changes.length > 0 ? { text, terms: commas(say, changes) } : { text };
}
