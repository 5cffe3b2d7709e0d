import { contextBytes } from '../memory/context';
import { OUTSIDE_TORCH } from '../models/terms';
import type { Target } from '../hardware/gpu';
import type { MeasuredRates } from '../hardware/measuredRates';
import { describedRun } from '../memory/described/estimate';
import type { DeviceEstimate, Estimate, EstimateResult } from '../memory/estimate';
import type { Metric } from '../models/terms';
import type { Spread } from '../memory/calibration';
import type { ModelFacts } from '../models/model';
import type { Description } from '../models/description';
import type { MeasuredPoint } from '../models/description';
import type { RunSpec } from '../spec/runSpec';
import { formatBytes } from '../units';
import { devicesWithKnown, withCorrection } from './adjusted';
import type { Known } from './adjusted';
import { correctionOf } from './correction';
import type { Evidence, Measurement } from './measurement';
import type { PastSpeed } from './pastSpeed';
import { featuresOf, differsOnlyInRows, isSameKey, isSameRun } from './features';
import { median, regressionIn } from './regression';

/** An estimate and its evidence in addition to the computation; null: none. */
export interface Learned {
  readonly result: EstimateResult;
  readonly evidence: Evidence | null;
}

/** The measurements for a config. */
export interface Lessons {
  readonly measurements: readonly Measurement[];
  /** How fast runs were; absent: not measured. */
  readonly speeds?: readonly PastSpeed[];
  /** What GPUs reach; absent: none was calibrated. */
  readonly rates?: readonly MeasuredRates[];
  /** Headroom's version: predictions by other versions do not correct anything. */
  readonly by: string;
}

/** A run with its computed result. */
interface Question {
  readonly run: RunSpec;
  readonly model: ModelFacts | null;
  readonly target: Target | null;
  readonly result: EstimateResult;
}

/**
 * The estimate, adjusted by measurements. Measurements win over computation, in this order: the run itself, its dry
 * run, a line through runs of an unknown model with other rows, and corrections of the terms by similar runs.
 */
export function learned(question: Question, lessons: Lessons | undefined): Learned {
  const { measurements: all, by } = lessons ?? { measurements: [], by: '' };
  if (all.length === 0) return { result: question.result, evidence: null };
  const features = featuresOf(question.run);
  const measurements = all.filter(({ program }) => !program?.changed);
  const same = measurements.filter(one => isSameRun(one.features, features) && isOnIt(one, question));
  const found = fromMeasurements(question, { measurements, by }, same);
  if (found.evidence !== null) return found;
  const stale = all.findLast(one => one.program?.changed && isSameRun(one.features, features));
  return stale?.program?.changed ? noLonger(found, stale.program.changed) : found;
}

/** A result that stopped counting is named, so that it can be repeated. */
function noLonger({ result, evidence }: Learned, file: string): Learned {
  const says = `a dry run of its program no longer counts, since ${file} has changed: profile it again`;
  if (!result.ok) return { result: { ...result, missing: [...result.missing, says] }, evidence };
  const { assumptions } = result.estimate;
  const estimate = { ...result.estimate, assumptions: [...assumptions, says] };
  return { result: { ok: true, estimate }, evidence };
}

function fromMeasurements(
  question: Question,
  { measurements, by }: Lessons,
  same: readonly Measurement[],
): Learned {
  const features = featuresOf(question.run);
  return (
    itself(question, same) ??
    fitted(
      question,
      measurements.filter(one => differsOnlyInRows(one.features, features) && isOnIt(one, question)),
    ) ??
    corrected(
      question,
      measurements.filter(one => one.predicted?.by === by),
      same,
    ) ?? { result: question.result, evidence: null }
  );
}

const gpuOf = (target: Target | null): string | null => target?.gpu?.name ?? null;

/** Measured on the GPU of the target; an unknown GPU matches any. */
const isOnIt = ({ gpu }: Measurement, { target }: Question): boolean =>
  gpu === null || gpuOf(target) === null || gpu === gpuOf(target);

/**
 * Deviation of a dry run from GPUs with the same code: 0.02–0.13 % (plain runs), below 2 % with frameworks' own
 * outputs.
 */
const DRY_RUN: Spread = { below: 0.02, above: 0.02 };
/** Variation between two runs of one config: other rows, other kernels. */
const MEASURED = 0.03;

/** The run's own measurement, else its dry run. */
function itself(question: Question, same: readonly Measurement[]): Learned | null {
  const real = same.filter(({ source }) => source !== 'dry run');
  const chosen = real.length > 0 ? latestMetric(real) : latestMetric(same).slice(-1);
  const last = chosen.at(-1);
  const basis = last && basisOf(question, last);
  if (!last || !basis?.ok) return null;
  const dry = real.length === 0;
  const known = dry ? withoutGpu(question, last, basis.estimate) : asMeasured(chosen, last, real);
  const [device] = basis.estimate.devices;
  const devices = devicesWithKnown(basis.estimate.devices, known, last.devices ?? null);
  const evidence: Evidence = {
    kind: dry ? 'dry run' : 'measured',
    source: last.source,
    points: chosen.length,
    at: last.at,
    computed: question.result.ok ? (device?.device ?? null) : null,
    says: dry ? dryRunSays(last, question.model) : measuredSays(last, chosen.length),
    regression: regressionIn(same),
  };
  return { result: { ok: true, estimate: { ...basis.estimate, devices } }, evidence };
}

/** The computed result; for an unknown model, the result of a single measurement. */
const basisOf = (
  { result, run, target }: Question,
  { metric, rows, bytes, program }: Measurement,
): EstimateResult =>
  result.ok
    ? result
    : describedRun(
        program ? withRows(run) : run,
        descriptionOf(metric, [{ ...rows, batch: rows.batch ?? 1, bytes }]),
        target,
      );

/** A program's own code has the batch: the run may not say it. */
function withRows(run: RunSpec): RunSpec {
  const { microBatchSize } = run.quantities;
  if (microBatchSize.value !== null) return run;
  return { ...run, quantities: { ...run.quantities, microBatchSize: { ...microBatchSize, value: 1 } } };
}

/** Another line of the same run may have the terms. */
function asMeasured(
  chosen: readonly Measurement[],
  { metric, at, source }: Measurement,
  all: readonly Measurement[],
): Known {
  const bytes = median(chosen);
  const terms = all.findLast(one => one.at === at && one.source === source && one.terms)?.terms ?? null;
  return { metric, bytes, spread: spreadOf(chosen, bytes), terms, seenBy: 'probe' };
}

/** Adds library workspaces, which torch allocates too; without a GPU there are none. */
function withoutGpu(
  question: Question,
  { metric, bytes, terms, added, program }: Measurement,
  { devices: [device] }: Estimate,
): Known {
  const workspace = device?.terms.find(({ term }) => term === 'library workspace')?.bytes ?? 0;
  return {
    metric,
    bytes: bytes + workspace,
    ...(program && {
      replayed: {
        reservedBytes: Math.max(bytes, program.reserved) + workspace,
        contextBytes: question.result.ok ? beyondTorch(device) : contextBytes(question.target, 1),
      },
    }),
    spread: program?.spread ?? spreadWith(added?.bytes ?? 0, bytes, device),
    terms,
    seenBy: 'dry run',
  };
}

const beyondTorch = (device: DeviceEstimate | undefined): number =>
  (device?.terms ?? [])
    .filter(({ term }) => OUTSIDE_TORCH.includes(term))
    .reduce((sum, { bytes }) => sum + bytes, 0);

/** Added amounts have the uncertainty of the computation, the rest that of a dry run. */
function spreadWith(added: number, bytes: number, device: DeviceEstimate | undefined): Spread {
  if (added === 0 || !device) return DRY_RUN;
  const { low, expected, high } = device.allocated;
  const share = Math.abs(added) / Math.max(1, bytes) / Math.max(1, expected);
  return {
    below: Math.min(0.9, Math.hypot(DRY_RUN.below, share * (expected - low))),
    above: Math.hypot(DRY_RUN.above, share * (high - expected)),
  };
}

/** Measurements of the metric nearest to nvidia-smi, from the releases of its latest line. */
function latestMetric(measurements: readonly Measurement[]): readonly Measurement[] {
  const sorted = measurements.toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const metrics: readonly Metric[] = ['device', 'reserved', 'allocated'];
  const metric = metrics.find(name => sorted.some(one => one.metric === name));
  const versions = JSON.stringify(sorted.findLast(one => one.metric === metric)?.versions);
  return sorted.filter(one => one.metric === metric && JSON.stringify(one.versions) === versions);
}

function spreadOf(measurements: readonly Measurement[], middle: number): Spread {
  const shares = measurements.map(({ bytes }) => bytes / middle - 1);
  return { below: Math.max(MEASURED, -Math.min(...shares)), above: Math.max(MEASURED, ...shares) };
}

const descriptionOf = (metric: Metric, measured: readonly MeasuredPoint[]): Description => ({
  metric,
  measured,
  parameters: null,
  components: [],
  at: null,
});

/** If nothing can be computed: a line through at least two runs with other rows. */
function fitted({ run, target, result }: Question, similar: readonly Measurement[]): Learned | null {
  if (result.ok) return null;
  const real = similar.filter(({ source }) => source !== 'dry run');
  const chosen = latestMetric(real.length > 0 ? real : similar).filter(({ rows }) => rows.batch !== null);
  const last = chosen.at(-1);
  const measured = chosen.map(({ rows, bytes }) => ({ ...rows, batch: rows.batch ?? 1, bytes }));
  const places = new Set(measured.map(({ batch, sequence }) => `${batch} ${sequence ?? ''}`));
  if (!last || places.size < 2) return null;
  const found = describedRun(run, descriptionOf(last.metric, measured), target);
  if (!found.ok) return null;
  const evidence: Evidence = {
    kind: 'fitted',
    source: last.source,
    points: chosen.length,
    at: last.at,
    computed: null,
    says: `on the line through ${chosen.length} measured runs of this model with other rows`,
    regression: null,
  };
  return { result: found, evidence };
}

/** 90 % of a normal distribution lies within this many standard deviations. */
const NINE_IN_TEN = 1.645;

function corrected(
  { run, model, target, result }: Question,
  measurements: readonly Measurement[],
  same: readonly Measurement[],
): Learned | null {
  const [device] = result.ok ? result.estimate.devices : [];
  if (!result.ok || !device || model?.described) return null;
  const family = model?.modelType ?? null;
  const like = measurements.filter(one => isSameKey(run, family, gpuOf(target), one));
  const last = like.toSorted((a, b) => (a.at < b.at ? -1 : 1)).at(-1);
  const deviation = (device.device.high - device.device.low) / 2 / NINE_IN_TEN;
  const correction = correctionOf(device.terms, deviation, like);
  if (!last || !correction) return null;
  const move = (one: DeviceEstimate): DeviceEstimate => withCorrection(one, correction);
  const evidence: Evidence = {
    kind: 'corrected',
    source: last.source,
    points: correction.points,
    at: last.at,
    computed: device.device,
    says: `computed, and corrected by ${counted(correction.points, 'measurement')} of ${family ?? 'its'} runs with ${run.framework.name}`,
    regression: regressionIn(same),
  };
  const estimate = { ...result.estimate, devices: result.estimate.devices.map(move) };
  return { result: { ok: true, estimate }, evidence };
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

const SOURCES: Readonly<Record<Measurement['source'], string>> = {
  job: 'a job of this config',
  trainer: 'the trainer’s own memory lines',
  probe: 'a probe on the GPU',
  'dry run': 'a dry run',
  user: 'you typed it in',
  log: 'the run’s own log',
};

const whereAndWhen = (place: string | undefined, at: string): string =>
  [...(place === undefined ? [] : [place]), at.slice(0, 10)].join(', ');

function measuredSays({ source, metric, at, devices, place }: Measurement, points: number): string {
  const each = devices ? `, on each of ${devices.length} GPUs` : '';
  const times = points > 1 ? `${each}, ${points} times` : each;
  const what = metric === 'device' ? '' : `, torch ${metric}`;
  return `measured${times}${what} (${SOURCES[source]}, ${whereAndWhen(place, at)})`;
}

function dryRunSays({ versions, at, added, program, place }: Measurement, model: ModelFacts | null): string {
  const names = ['torch', 'transformers', 'peft'].flatMap(name =>
    versions[name] === undefined ? [] : [`${name} ${versions[name]}`],
  );
  const codeText = program ? 'your own program' : model ? 'the model’s real code' : 'your own code';
  const addedText = added ? `, with ${added.what.join(', ')} as computed` : '';
  const held = program?.lines.slice(0, 3).map(({ line, bytes }) => `${line} ${formatBytes(bytes)}`) ?? [];
  const linesText = held.length > 0 ? `; most at the peak: ${held.join(', ')}` : '';
  return `dry run of ${codeText} on ${names.join(', ')}${addedText} (${whereAndWhen(place, at)})${linesText}`;
}
