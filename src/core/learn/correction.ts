import type { Term } from '../memory/estimate';
import type { Metric, TermName } from '../models/terms';
import type { Measurement } from './measurement';

/**
 * Of a probe's peak weights, gradients and states are known by name; what lies between them in torch's allocator is one
 * amount, which it calls activations.
 */
export const BETWEEN: ReadonlySet<TermName> = new Set<TermName>([
  'activations',
  'logits and loss',
  'temporaries',
  'inputs and buffers',
  'kv cache',
  'communication',
  'library workspace',
]);

type Sums = Readonly<Partial<Record<TermName, number>>>;

/**
 * How unsure a term is against the others, as a share of it: what follows from shapes and dtypes hardly is, what kernels, the
 * allocator and drivers add is. Only their ratios count: together they are as unsure as the estimate says it is.
 */
const UNSURE: Readonly<Record<TermName, number>> = {
  weights: 0.02,
  adapters: 0.02,
  gradients: 0.04,
  'optimizer states': 0.04,
  activations: 0.2,
  'logits and loss': 0.2,
  'kv cache': 0.1,
  communication: 0.3,
  temporaries: 0.3,
  'inputs and buffers': 0.3,
  'library workspace': 0.3,
  'allocator slack': 0.5,
  'rollout engine': 0.1,
  'cuda context': 0.15,
};

/** Two runs of one config differ by so much: other rows, kernels chosen anew. */
const REPEATED = 0.02;

/** Terms that a metric does not see. */
const UNSEEN: Readonly<Record<Metric, ReadonlySet<TermName>>> = {
  device: new Set(),
  reserved: new Set<TermName>(['cuda context', 'rollout engine']),
  allocated: new Set<TermName>(['cuda context', 'rollout engine', 'allocator slack']),
};

/**
 * Of an estimate's doubt this share is a config's own: another code path, another kernel, which no other config's runs tell
 * of. As much as half of the deviation, so that one that was measured next to it never makes a config as sure as itself.
 */
const OWN = 0.5;

/** What measurements say about the terms of one key. */
export interface Correction {
  /** By how much each term is more than computed, as a share of it. */
  readonly shares: Sums;
  /** The sum's standard deviation that is left, over the one before anything was measured: 0–1. */
  readonly left: number;
  readonly points: number;
}

/**
 * The terms' corrections, given measurements of the same key and how unsure this run's sum is (`deviation`, in bytes). Each
 * share is normal around 0, each measurement a sum of terms with noise: what has been measured little moves little, and a
 * term that no measurement has in it stays (Bayesian linear regression, one measurement after the other).
 */
export function correctionOf(
  terms: readonly Term[],
  deviation: number,
  measurements: readonly Measurement[],
): Correction | null {
  const runs = oncePerRun(measurements);
  const observed = runs.flatMap(observationsOf);
  if (observed.length === 0) return null;
  const names = [...new Set([...terms.map(({ term }) => term), ...observed.flatMap(({ names }) => names)])];
  const own = vectorOf(names, sumsOf(terms));
  const common = deviation * Math.sqrt(1 - OWN ** 2);
  const scale = common / Math.hypot(...own.map((bytes, i) => bytes * unsure(names, i)));
  if (!Number.isFinite(scale) || scale <= 0) return null;
  const state = new Belief(names.map((_, i) => (unsure(names, i) * scale) ** 2));
  const doubt = (OWN * deviation) / total(own);
  for (const { sums, difference, noise } of observed) {
    const x = vectorOf(names, sums);
    state.learn(x, difference, Math.hypot(noise, doubt * total(x)));
  }
  const shares = Object.fromEntries(names.map((name, i) => [name, Math.max(-0.95, state.mean[i] ?? 0)]));
  return {
    shares,
    left: Math.hypot(state.deviation(own), OWN * deviation) / deviation,
    points: runs.length,
  };
}

interface Observation {
  readonly names: readonly TermName[];
  readonly sums: Sums;
  /** Measured less predicted. */
  readonly difference: number;
  readonly noise: number;
}

/** The whole sum, or each term where the measurement saw terms. */
function observationsOf({ predicted, metric, bytes, terms, source }: Measurement): readonly Observation[] {
  if (!predicted) return [];
  const seen = Object.entries(predicted.terms).filter(([name]) => !UNSEEN[metric].has(name as TermName));
  const noise = REPEATED * bytes;
  if (!terms) return [together(seen, bytes, noise)];
  // What a probe does not tell apart is seen as one.
  const isOne = (name: string): boolean => source === 'probe' && BETWEEN.has(name as TermName);
  const between = Object.entries(terms).reduce((sum, [name, found]) => sum + (isOne(name) ? found : 0), 0);
  const each = seen.flatMap(entry => {
    const found = terms[entry[0] as TermName];
    return found === undefined || isOne(entry[0]) ? [] : [together([entry], found, noise)];
  });
  const lump = seen.filter(([name]) => isOne(name));
  return lump.length > 0 && between > 0 ? [...each, together(lump, between, noise)] : each;
}

function together(predicted: readonly [string, number][], found: number, noise: number): Observation {
  const sum = predicted.reduce((all, [, bytes]) => all + bytes, 0);
  return {
    names: predicted.map(([name]) => name as TermName),
    sums: Object.fromEntries(predicted),
    difference: found - sum,
    noise,
  };
}

/** What says most of a run comes first: terms, then what nvidia-smi shows, then what torch does. */
const METRICS: readonly Metric[] = ['device', 'reserved', 'allocated'];

/** One line of each run: several metrics of one run are one look at it, and count once. */
export function oncePerRun(measurements: readonly Measurement[]): readonly Measurement[] {
  const best = new Map<string, Measurement>();
  const rank = ({ terms, metric }: Measurement): number => (terms ? -1 : METRICS.indexOf(metric));
  for (const one of measurements) {
    const key = `${one.at} ${JSON.stringify(one.features)}`;
    const before = best.get(key);
    if (!before || rank(one) < rank(before)) best.set(key, one);
  }
  return [...best.values()];
}

const total = (x: readonly number[]): number => x.reduce((sum, value) => sum + value, 0);

const unsure = (names: readonly TermName[], i: number): number => {
  const name = names[i];
  return name === undefined ? 0 : UNSURE[name];
};

export const sumsOf = (terms: readonly Term[]): Sums => {
  const sums: Partial<Record<TermName, number>> = {};
  for (const { term, bytes } of terms) sums[term] = (sums[term] ?? 0) + bytes;
  return sums;
};

const vectorOf = (names: readonly TermName[], sums: Sums): readonly number[] =>
  names.map(name => sums[name] ?? 0);

/** Normal belief about the shares: mean and covariance, updated by sums of them. */
class Belief {
  readonly mean: number[];
  private readonly covariance: number[][];

  constructor(variances: readonly number[]) {
    this.mean = variances.map(() => 0);
    this.covariance = variances.map((variance, i) => variances.map((_, j) => (i === j ? variance : 0)));
  }

  learn(x: readonly number[], value: number, noise: number): void {
    const spread = this.times(x);
    const variance = dot(x, spread) + noise ** 2;
    if (variance <= 0) return;
    const surprise = value - dot(x, this.mean);
    for (const [i, gain] of spread.entries()) {
      this.mean[i] = (this.mean[i] ?? 0) + (gain / variance) * surprise;
      const row = this.covariance[i];
      if (row) for (const [j, other] of spread.entries()) row[j] = (row[j] ?? 0) - (gain * other) / variance;
    }
  }

  deviation(x: readonly number[]): number {
    return Math.sqrt(Math.max(0, dot(x, this.times(x))));
  }

  private times(x: readonly number[]): readonly number[] {
    return this.covariance.map(row => dot(row, x));
  }
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
