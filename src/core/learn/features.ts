import { datasetsOf } from '../dialects/datasetsOf';
import type { RunSpec } from '../spec/runSpec';
import type { DetailName, QuantityName } from '../spec/values';
import type { Features, MeasuredRows, Measurement } from './measurement';

/** Quantities that decide how long a run takes, or that repeat others; they do not affect the memory of a step. */
const NOT_FEATURES: ReadonlySet<string> = new Set<QuantityName | DetailName>([
  'precisionRaw',
  'globalBatchSize',
  'effectiveBatch',
  'gradAccum',
  'numWorkers',
  'evalBatchSize',
  'nodes',
  'devices',
  'accelerator',
  'evaluates',
  'evaluationWrites',
  'resumes',
  'maxSteps',
  'epochs',
]);

/** Words for one step: rows go in, and the loss is of their next tokens. */
const PLAIN: ReadonlySet<unknown> = new Set(['sft', 'pretrain', 'lm_pretrain', 'cpt', 'lm', 'clm']);

const isPlain = (task: unknown): boolean => PLAIN.has(task);

/** The variables of the line through measurements. */
const ROWS: ReadonlySet<string> = new Set<QuantityName | DetailName>([
  'microBatchSize',
  'seqLen',
  'sequencesPerSample',
]);

/** All known values of a run that decide its memory. */
export function featuresOf(run: RunSpec): Features {
  const all = Object.entries({ ...run.quantities, ...run.details });
  const known = all.flatMap(([name, quantity]) => {
    const { value } = quantity;
    if (NOT_FEATURES.has(name) || value === null || (name === 'task' && isPlain(value))) return [];
    return [[name, typeof value === 'string' ? value : JSON.stringify(value)] as const];
  });
  const accumulates = (run.quantities.gradAccum.value ?? 1) > 1 ? [['accumulates', 'true'] as const] : [];
  const own = [
    ...(run.ownSizes ? [['ownSizes', run.ownSizes] as const] : []),
    // A config that builds its model names none: the sizes are all that tells two of them apart.
    ...(run.ownModel ? [['ownModel', JSON.stringify(run.ownModel)] as const] : []),
    ...evaluationOf(run),
    ...dataOf(run),
  ];
  return Object.fromEntries([...known, ...accumulates, ...own].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Evaluation holds its own batches, where it is part of the run; where that is unknown, what the config says of it. */
function evaluationOf({ quantities, details }: RunSpec): readonly (readonly [string, string])[] {
  const { evalBatchSize: batch } = quantities;
  const { evaluates, evaluationWrites } = details;
  const isPart = evaluates?.value ?? batch.origin.kind === 'file';
  return isPart ? [['evaluation', JSON.stringify([batch.value, evaluationWrites?.value ?? null])]] : [];
}

/** Texts are as long as they are in the data, up to a limit, unless packing fills rows with them. */
function dataOf(run: RunSpec): readonly (readonly [string, string])[] {
  const { seqLen, packing } = run.quantities;
  const isAsLong = seqLen.value !== null && packing.value !== true && run.sources.length > 0;
  const all = isAsLong ? datasetsOf(run) : [];
  const named = all.map(({ path, files, template, ownTemplate, columns }) =>
    JSON.stringify([path, files, template, ownTemplate, columns]),
  );
  return named.length > 0 ? [['data', named.sort().join(' ')]] : [];
}

export function rowsOf({ quantities, details }: RunSpec): MeasuredRows {
  return {
    batch: quantities.microBatchSize.value,
    sequence: quantities.seqLen.value,
    sequences: details.sequencesPerSample?.value ?? null,
  };
}

/** The same run, with any releases. */
export const isSameRun = (one: Features, other: Features): boolean => differing(one, other).length === 0;

/** The same run except for the rows per step. */
export const differsOnlyInRows = (one: Features, other: Features): boolean =>
  differing(one, other).every(name => ROWS.has(name));

/** Measurements of earlier releases may have more. */
function differing(one: Features, other: Features): readonly string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter(name => !NOT_FEATURES.has(name) && one[name] !== other[name]);
}

/** The framework, its release and the model family that a correction holds for; a new release discards it. */
export const isSameKey = (
  run: RunSpec,
  family: string | null,
  gpu: string | null,
  { framework, frameworkVersion, family: ofFamily, gpu: onGpu }: Measurement,
): boolean =>
  framework === run.framework.name &&
  frameworkVersion === run.framework.version &&
  ofFamily === family &&
  (onGpu === null || gpu === null || onGpu === gpu);
