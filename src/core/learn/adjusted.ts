import { interval } from '../memory/interval';
import type { Spread } from '../memory/interval';
import type { Bytes, DeviceEstimate, Term } from '../memory/estimate';
import type { Metric, TermName } from '../models/terms';
import { judged } from '../memory/estimate';
import type { Correction } from './correction';

type Sums = Readonly<Partial<Record<TermName, number>>>;

/** An amount in the place of a computed one, and how sure it is. */
export interface Known {
  readonly metric: Metric;
  readonly bytes: number;
  readonly spread: Spread;
  /** What it is held for, where that was seen. */
  readonly terms: Sums | null;
  /** Who saw that. */
  readonly seenBy: 'dry run' | 'probe';
}

/**
 * The devices as something known says them. `each`: the peaks of the run's GPUs, the highest first; null: only the highest is
 * known, and the others keep their computed share of it, and their doubt.
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
    if (own !== undefined) return withKnown(device, { ...known, bytes: own, terms: null });
    const share = device[metric].expected / Math.max(1, first[metric].expected);
    const spread = { below: below(device[metric]), above: above(device[metric]) };
    return withKnown(device, { ...known, bytes: known.bytes * share, spread, terms: null });
  });
}

/**
 * The device as something known says it. The other metrics lie around it as they do in the computed estimate: reserved by
 * the same share over allocated, device by the same amount over reserved.
 */
export function withKnown(device: DeviceEstimate, known: Known): DeviceEstimate {
  const slack = device.reserved.expected / Math.max(1, device.allocated.expected);
  const around = device.device.expected - device.reserved.expected;
  const reserved = {
    allocated: known.bytes * slack,
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

/** An estimate's terms, each by its share more, with an interval that what was measured leaves. */
export function withCorrection(device: DeviceEstimate, { shares, left }: Correction): DeviceEstimate {
  const terms = device.terms.map(term => {
    const share = shares[term.term] ?? 0;
    const percent = `${share > 0 ? '+' : '−'}${(Math.abs(share) * 100).toFixed(1)} %`;
    const note = Math.abs(share) < LEAST_NOTED ? {} : { note: `${percent} as measured` };
    return { ...term, bytes: term.bytes * (1 + share), ...note };
  });
  const moved = terms.reduce((sum, { bytes }) => sum + bytes, 0) - sum(device.terms);
  const amount = (name: Metric, unseen: readonly TermName[]): Bytes => {
    const beside = terms.reduce(
      (rest, { term, bytes }, i) =>
        unseen.includes(term) ? rest + bytes - (device.terms[i]?.bytes ?? 0) : rest,
      0,
    );
    const bytes = device[name];
    const spread = { below: left * below(bytes), above: left * above(bytes) };
    return interval(Math.max(0, bytes.expected + moved - beside), spread);
  };
  return judgedAgain({
    ...device,
    terms,
    device: amount('device', []),
    reserved: amount('reserved', ['cuda context', 'rollout engine']),
    allocated: amount('allocated', ['cuda context', 'rollout engine', 'allocator slack']),
  });
}

const LEAST_NOTED = 0.005;

const sum = (terms: readonly Term[]): number => terms.reduce((all, { bytes }) => all + bytes, 0);
const below = ({ low, expected }: Bytes): number => (expected === 0 ? 0 : 1 - low / expected);
const above = ({ high, expected }: Bytes): number => (expected === 0 ? 0 : high / expected - 1);

/** What lies between two metrics stays as unsure as it was computed. */
function bytesOf(expected: number, { metric, spread }: Known, name: Metric, device: DeviceEstimate): Bytes {
  if (metric === name) return interval(expected, spread);
  const between = (of: (bytes: Bytes) => number): number =>
    Math.sqrt(Math.abs(of(device[name]) ** 2 - of(device[metric]) ** 2));
  return interval(expected, {
    below: Math.min(0.95, Math.hypot(spread.below, between(below))),
    above: Math.hypot(spread.above, between(above)),
  });
}

/** Terms that were seen, with what only a real device has in addition to them. */
function seenTerms(device: DeviceEstimate, seen: Sums, by: Known['seenBy']): readonly Term[] {
  const names = Object.keys(seen) as TermName[];
  const beyond: readonly TermName[] = ['allocator slack', 'rollout engine', 'cuda context'];
  // A probe's libraries allocate through torch, among what it cannot tell apart.
  const beside = by === 'probe' ? beyond : (['library workspace', ...beyond] as const);
  const rows = names.map(term => {
    const computed = device.terms.find(one => one.term === term);
    return { term, bytes: seen[term] ?? 0, formula: SEEN_WORDS[by], from: computed?.from ?? [] };
  });
  return [...rows, ...device.terms.filter(({ term }) => beside.includes(term))];
}

const SEEN_WORDS = { 'dry run': 'as the dry run counts it', probe: 'as the probe measured it' } as const;

/** Rows add up to the device's expected bytes: what they do not explain is the allocator's, or its own row. */
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
