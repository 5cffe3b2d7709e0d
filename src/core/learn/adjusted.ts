import { interval } from '../memory/interval';
import type { Spread } from '../memory/calibration';
import type { Bytes, DeviceEstimate, Term } from '../memory/estimate';
import { OUTSIDE_TORCH } from '../models/terms';
import type { Metric, TermName } from '../models/terms';
import { judged } from '../memory/estimate';
import type { Correction } from './correction';

type Sums = Readonly<Partial<Record<TermName, number>>>;

/** A known amount that replaces a computed one, with its uncertainty. */
export interface Known {
  readonly metric: Metric;
  readonly bytes: number;
  /** For an allocated amount whose allocator was replayed: what it reserved, and what the driver takes beyond, in bytes. */
  readonly replayed?: { readonly reservedBytes: number; readonly contextBytes: number };
  readonly spread: Spread;
  /** The amount by term, if known. */
  readonly terms: Sums | null;
  /** The source of `terms`. */
  readonly seenBy: 'dry run' | 'probe';
}

/**
 * The devices with the known amount. `each`: the peaks of the run's GPUs, highest first; null: only the highest is
 * known, and the others keep their computed share of it and their uncertainty.
 */
export function devicesWithKnown(
  devices: readonly DeviceEstimate[],
  known: Known,
  each: readonly number[] | null,
): readonly DeviceEstimate[] {
  const [first] = devices;
  if (!first) return [];
  const { metric } = known;
  const last = Math.max(1, devices.length - 1);
  return devices.map((device, i) => {
    if (i === 0) return withKnown(device, known);
    const own = each?.[Math.round((i * (each.length - 1)) / last)];
    const rest: Known = {
      metric,
      bytes: known.bytes,
      spread: known.spread,
      terms: null,
      seenBy: known.seenBy,
    };
    if (own !== undefined) return withKnown(device, { ...rest, bytes: own });
    const share = device[metric].expected / Math.max(1, first[metric].expected);
    const spread = { below: lowerSpread(device[metric]), above: upperSpread(device[metric]) };
    return withKnown(device, { ...rest, bytes: known.bytes * share, spread });
  });
}

/**
 * The device with the known amount. The other metrics keep their computed distance, unless they are known too: the
 * ratio of reserved to allocated, and the difference between device and reserved.
 */
function withKnown(device: DeviceEstimate, known: Known): DeviceEstimate {
  const slack = device.reserved.expected / Math.max(1, device.allocated.expected);
  const around = known.replayed?.contextBytes ?? device.device.expected - device.reserved.expected;
  const reserved = {
    allocated: known.replayed?.reservedBytes ?? known.bytes * slack,
    reserved: known.bytes,
    device: Math.max(0, known.bytes - around),
  }[known.metric];
  const allocated = known.metric === 'allocated' ? known.bytes : reserved / slack;
  const expected = known.metric === 'device' ? known.bytes : reserved + around;
  const amounts = {
    allocated: bytesOf(allocated, known, 'allocated', device),
    reserved: bytesOf(reserved, known, 'reserved', device),
    device: bytesOf(expected, known, 'device', device),
  };
  const terms = known.terms ? seenTerms(device, known.terms, known.seenBy) : device.terms;
  return judgedAgain({ ...device, ...amounts, terms: balanced(terms, expected) });
}

/** Scales the terms by their corrections and narrows the intervals to the remaining uncertainty. */
export function withCorrection(device: DeviceEstimate, { shares, left }: Correction): DeviceEstimate {
  const terms = device.terms.map(term => {
    const share = shares[term.term] ?? 0;
    const percent = `${share > 0 ? '+' : '−'}${(Math.abs(share) * 100).toFixed(1)} %`;
    const note = Math.abs(share) < LEAST_NOTED ? {} : { note: `${percent} as measured` };
    return { ...term, bytes: term.bytes * (1 + share), ...note };
  });
  const moved = terms.reduce((sum, { bytes }) => sum + bytes, 0) - sum(device.terms);
  const amount = (name: Metric, unseen: readonly TermName[]): Bytes => {
    const otherBytes = terms.reduce(
      (rest, { term, bytes }, i) =>
        unseen.includes(term) ? rest + bytes - (device.terms[i]?.bytes ?? 0) : rest,
      0,
    );
    const bytes = device[name];
    const spread = { below: left * lowerSpread(bytes), above: left * upperSpread(bytes) };
    return interval(Math.max(0, bytes.expected + moved - otherBytes), spread);
  };
  return judgedAgain({
    ...device,
    terms,
    device: amount('device', []),
    reserved: amount('reserved', OUTSIDE_TORCH),
    allocated: amount('allocated', [...OUTSIDE_TORCH, 'allocator slack']),
  });
}

const LEAST_NOTED = 0.005;

const sum = (terms: readonly Term[]): number => terms.reduce((all, { bytes }) => all + bytes, 0);
const lowerSpread = ({ low, expected }: Bytes): number => (expected === 0 ? 0 : 1 - low / expected);
const upperSpread = ({ high, expected }: Bytes): number => (expected === 0 ? 0 : high / expected - 1);

/** The distance between two metrics keeps its computed uncertainty. */
function bytesOf(
  expected: number,
  { metric, spread, replayed }: Known,
  name: Metric,
  device: DeviceEstimate,
): Bytes {
  if (metric === name || replayed) return interval(expected, spread);
  const between = (of: (bytes: Bytes) => number): number =>
    Math.sqrt(Math.abs(of(device[name]) ** 2 - of(device[metric]) ** 2));
  return interval(expected, {
    below: Math.min(0.95, Math.hypot(spread.below, between(lowerSpread))),
    above: Math.hypot(spread.above, between(upperSpread)),
  });
}

/** The known terms, plus those that only a real device has. */
function seenTerms(device: DeviceEstimate, seen: Sums, by: Known['seenBy']): readonly Term[] {
  const names = Object.keys(seen) as TermName[];
  const beyond: readonly TermName[] = ['allocator slack', ...OUTSIDE_TORCH];
  // A probe's libraries allocate through torch; their memory is in the amount that it cannot break down.
  const otherTerms = by === 'probe' ? beyond : (['library workspace', ...beyond] as const);
  const rows = names.map(term => {
    const computed = device.terms.find(one => one.term === term);
    return { term, bytes: seen[term] ?? 0, formula: SEEN_WORDS[by], from: computed?.from ?? [] };
  });
  return [...rows, ...device.terms.filter(({ term }) => otherTerms.includes(term))];
}

const SEEN_WORDS = { 'dry run': 'as the dry run counts it', probe: 'as the probe measured it' } as const;

/**
 * Makes the rows add up to the device's expected bytes: the allocator's row takes the rest, or all rows are scaled.
 */
function balanced(terms: readonly Term[], expected: number): readonly Term[] {
  const rest = expected - sum(terms);
  if (Math.abs(rest) < 1) return terms;
  const slack = terms.find(({ term }) => term === 'allocator slack');
  if (slack && slack.bytes + rest >= 0) {
    const note = 'with what the other rows do not explain';
    return terms.map(term => (term === slack ? { ...term, bytes: term.bytes + rest, note } : term));
  }
  const share = expected / Math.max(1, sum(terms));
  return terms.map(term => ({ ...term, bytes: term.bytes * share, note: 'scaled to what was measured' }));
}

/** Where no GPU is chosen there is nothing to judge. */
const judgedAgain = (device: DeviceEstimate): DeviceEstimate =>
  device.verdict === 'unknown' ? device : judged(device);
