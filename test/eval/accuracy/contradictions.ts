import type { Answer } from './statistics';

/** Two records that cannot both be correct. */
interface Contradiction {
  readonly a: Answer;
  readonly b: Answer;
  readonly why: string;
}

/** The tolerance between two measurements of the same run; a larger run must exceed it in the estimate. */
const SAME = 0.1;
const LARGER = 0.2;

/**
 * Contradicting pairs of published records: the same run measured twice, and a larger run that took no more than a
 * smaller one.
 */
export function contradictionsIn(answers: readonly Answer[]): readonly Contradiction[] {
  const alike = new Map<string, Answer[]>();
  for (const answer of answers) {
    if (answer.measured.groups.includes('simulated')) continue;
    const key = keyOf(answer);
    alike.set(key, [...(alike.get(key) ?? []), answer]);
  }
  return [...alike.values()].flatMap(group =>
    group.flatMap((a, i) => group.slice(i + 1).flatMap(b => contradiction(a, b) ?? [])),
  );
}

const sizeOf = ({ measured }: Answer): readonly [batch: number, length: number] => {
  const { microBatchSize, seqLen } = measured.run.quantities;
  return [microBatchSize.value ?? 0, seqLen.value ?? 0];
};

/** All fields of a record except its batch and length. */
function keyOf({ measured }: Answer): string {
  const { run, metric, devices, phase, source, target } = measured;
  const stated = Object.entries({ ...run.quantities, ...run.details })
    .filter(([name]) => name !== 'microBatchSize' && name !== 'seqLen')
    .map(([name, fact]) => [name, fact.value]);
  return JSON.stringify([source, run.framework, target, metric, devices, phase, stated]);
}

function contradiction(a: Answer, b: Answer): Contradiction | null {
  const [batchA, lengthA] = sizeOf(a);
  const [batchB, lengthB] = sizeOf(b);
  const [low, high] = [a, b].toSorted((x, y) => x.measured.bytes - y.measured.bytes) as [Answer, Answer];
  if (batchA === batchB && lengthA === lengthB) {
    return high.measured.bytes > low.measured.bytes * (1 + SAME)
      ? { a: low, b: high, why: 'the same run, measured twice' }
      : null;
  }
  const aIsLarger = batchA >= batchB && lengthA >= lengthB;
  if (!aIsLarger && !(batchB >= batchA && lengthB >= lengthA)) return null;
  const [large, small] = aIsLarger ? [a, b] : [b, a];
  return large.measured.bytes <= small.measured.bytes && large.predicted > small.predicted * (1 + LARGER)
    ? { a: small, b: large, why: 'the second is larger and took no more' }
    : null;
}
