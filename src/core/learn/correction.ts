import type { Term } from '../memory/estimate';
import { OUTSIDE_TORCH } from '../models/terms';
import type { Metric, TermName } from '../models/terms';
import type { Measurement } from './measurement';

/**
 * A probe knows weights, gradients and states by name. The rest of torch's allocations is one amount, which it
 * calls activations.
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
 * Relative uncertainty of each term: low if it follows from shapes and dtypes, high if kernels, the allocator and
 * drivers decide. Only the ratios matter: the sum is as uncertain as the estimate says.
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
  'communication buffers': 0.3,
  'cuda graphs': 0.3,
  'cuda context': 0.15,
};

/** Variation between two runs of one config: other rows, other kernels. */
const REPEATED = 0.02;

/** Terms that a metric does not include. */
const UNSEEN: Readonly<Record<Metric, ReadonlySet<TermName>>> = {
  device: new Set(),
  reserved: new Set<TermName>(OUTSIDE_TORCH),
  allocated: new Set<TermName>([...OUTSIDE_TORCH, 'allocator slack']),
};

/**
 * The share of an estimate's standard deviation that is specific to the config (code path, kernels), so that other
 * configs' runs cannot reduce it. At one half, a measured neighbor never makes a config as certain as its own
 * measurement.
 */
const OWN = 0.5;

/** What measurements say about the terms of runs with the same key (`isSameKey`). */
export interface Correction {
  /** Measured excess of each term over its computed value, as a share of the latter. */
  readonly shares: Sums;
  /** Remaining standard deviation of the sum, relative to the one without measurements: 0–1. */
  readonly left: number;
  readonly points: number;
}

/**
 * Corrects the terms by measurements of the same key; `deviation` is the standard deviation of this run's sum in
 * bytes. Each share has a normal prior around 0, and each measurement is a noisy sum of terms: few measurements
 * move it little, and a term without measurements stays (Bayesian linear regression, updated one measurement at a
 * time).
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
  const uncertainty = (OWN * deviation) / total(own);
  for (const { sums, difference, noise } of observed) {
    const x = vectorOf(names, sums);
    state.learn(x, difference, Math.hypot(noise, uncertainty * total(x)));
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

/** One observation for the whole sum, or one for each term that was measured. */
function observationsOf({ predicted, metric, bytes, terms, source }: Measurement): readonly Observation[] {
  if (!predicted) return [];
  const seen = Object.entries(predicted.terms).filter(([name]) => !UNSEEN[metric].has(name as TermName));
  const noise = REPEATED * bytes;
  if (!terms) return [together(seen, bytes, noise)];
  // Terms that a probe does not distinguish form one observation.
  const isOne = (name: string): boolean => source === 'probe' && BETWEEN.has(name as TermName);
  const between = Object.entries(terms).reduce((sum, [name, found]) => sum + (isOne(name) ? found : 0), 0);
  const each = seen.flatMap(entry => {
    const found = terms[entry[0] as TermName];
    return found === undefined || isOne(entry[0]) ? [] : [together([entry], found, noise)];
  });
  const combined = seen.filter(([name]) => isOne(name));
  return combined.length > 0 && between > 0 ? [...each, together(combined, between, noise)] : each;
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

/** The most informative metric comes first, after measurements by term. */
const METRICS: readonly Metric[] = ['device', 'reserved', 'allocated'];

/** One line per run: several metrics of one run count once. */
function oncePerRun(measurements: readonly Measurement[]): readonly Measurement[] {
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

/** Normal distribution of the shares: mean and covariance, updated by observed sums. */
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
