import { mkdir, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Budget } from '../engine/budget';
import type { BatchPlan } from '../engine/budget';
import { EmbedError, diskFault } from '../errors';
import { fileDigest, filesDigest, onnxDigest } from '../folder/modelFolder';
import type { EmbedModel } from '../folder/modelFolder';
import { Input } from '../input/rows';
import type { InputOptions, Survey } from '../input/rows';
import { clearTemporaries } from '../output/files';
import { FolderLock } from '../output/lock';
import { MANIFEST, modelDifference, readManifest, SCHEMA, writeManifest } from '../output/manifest';
import type { Manifest, ModelRecord, OutputFormat } from '../output/manifest';
import { checkRoom, cleanComplete } from '../output/shard';
import { startEngine } from './engine';
import type { EngineSettings, StartedEngine } from './engine';
import { Job } from './job';
import { repaired } from './mend';
import { Meter, weightOf } from './progress';
import type { EmbedProgress } from './progress';
import { rangeOf } from './windows';
import type { Part } from './windows';

export interface EmbedOrder {
  readonly folder: string;
  readonly input: InputOptions;
  readonly model: EmbedModel;
  /** As the user named it; null: the default model. */
  readonly modelFolder: string | null;
  readonly engine: EngineSettings;
  readonly format: OutputFormat;
  readonly rowsPerShard: number;
  readonly part: Part;
  readonly createdBy: string;
}

/** The fields of a manifest that are known before anything is embedded. */
export type ManifestOrder = Pick<
  EmbedOrder,
  'input' | 'model' | 'modelFolder' | 'format' | 'rowsPerShard' | 'part' | 'createdBy'
>;

export interface EmbedWatch {
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
  /** Called when the model and the device are known. */
  readonly started: (facts: StartedFacts) => void;
  readonly progress: (read: () => EmbedProgress) => void;
}

export interface StartedFacts {
  readonly manifest: Manifest;
  readonly workers: number;
  readonly deviceWhy: string;
  readonly rowsBefore: number;
  /** Files of an earlier run that were damaged and are embedded again, a sentence each. */
  readonly damaged: readonly string[];
  readonly batch: BatchPlan;
}

export interface EmbedResult {
  readonly manifest: Manifest;
  readonly progress: EmbedProgress;
  /** The batch size at the start and at the end: smaller if memory ran out, larger if that was faster. */
  readonly batch: BatchPlan & { readonly tokensAtEnd: number };
}

/** Embeds an input into a folder without embeddings. */
export async function embed(order: EmbedOrder, watch: EmbedWatch): Promise<EmbedResult> {
  await mkdir(order.folder, { recursive: true }).catch((error: unknown) => {
    throw diskFault(order.folder, error);
  });
  return locked(order.folder, async () => {
    await checkEmpty(order.folder);
    return run(order, watch, null);
  });
}

/** Continues an earlier run. The model and the input must be the same. */
export async function resume(order: EmbedOrder, watch: EmbedWatch): Promise<EmbedResult> {
  return locked(order.folder, async () => {
    const manifest = await readManifest(order.folder);
    if (manifest === null) {
      throw new EmbedError('bad-output', `${order.folder}: there is no ${MANIFEST} to go on from.`);
    }
    return run(order, watch, manifest);
  });
}

async function locked<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const lock = await FolderLock.take(folder);
  try {
    await clearTemporaries(folder);
    return await work();
  } finally {
    await lock.release();
  }
}

async function checkEmpty(folder: string): Promise<void> {
  const manifest = await readManifest(folder);
  if (manifest?.state === 'running') {
    throw new EmbedError(
      'bad-output',
      `${folder}: an earlier run is incomplete. Continue with headroom resume ${folder}, or choose another folder.`,
    );
  }
  if (manifest) {
    throw new EmbedError('bad-output', `${folder}: already has embeddings; choose another folder.`);
  }
  const shards = (await readdir(folder)).filter(name => name.startsWith('shard-'));
  if (shards.length > 0) {
    throw new EmbedError(
      'bad-output',
      `${folder}: it holds ${shards[0] ?? ''} without a ${MANIFEST}; name another folder.`,
    );
  }
}

async function run(order: EmbedOrder, watch: EmbedWatch, before: Manifest | null): Promise<EmbedResult> {
  const starting = startEngine(order.model, order.engine);
  starting.catch(() => undefined);
  let started: StartedEngine | null = null;
  try {
    const input = await Input.open(order.input);
    const [survey, record] = await Promise.all([
      input.survey(text => weightOf(text, order.model)),
      modelRecord(order.model),
    ]);
    const { manifest, damaged } = before
      ? await repaired(order.folder, sameAs(before, record, survey, order), survey)
      : { manifest: newManifest(order, record, input, survey), damaged: [] };
    await cleanComplete(order.folder, manifest.shards);
    started = await starting;
    const { dimensions, versions } = started.engine;
    await checkDisk(order.folder, manifest, dimensions);
    const fullManifest = versions === null ? manifest : { ...manifest, versions };
    await writeManifest(order.folder, fullManifest);
    return await worked(order, watch, { started, input, manifest: fullManifest, damaged });
  } finally {
    started ??= await starting.catch(() => null);
    await started?.engine.stop();
  }
}

interface Ready {
  readonly started: StartedEngine;
  readonly input: Input;
  readonly manifest: Manifest;
  readonly damaged: readonly string[];
}

async function worked({ folder, model }: EmbedOrder, watch: EmbedWatch, ready: Ready): Promise<EmbedResult> {
  const { started, input, manifest, damaged } = ready;
  const { engine, batch, limits } = started;
  const rowsBefore = manifest.shards.reduce((sum, { rows }) => sum + rows, 0);
  const { weight } = input;
  const all = manifest.input.rows;
  // For a part, its share by rows.
  const mine = weight === null || !all || manifest.rows === null ? null : (weight * manifest.rows) / all;
  const meter = new Meter(watch.nowMs, { rows: manifest.rows, weight: mine }, rowsBefore);
  watch.started({ manifest, workers: engine.count, deviceWhy: engine.why, rowsBefore, batch, damaged });
  watch.progress(() => meter.read());
  const budget = new Budget(batch.tokens, batch.most);
  const weigh = (text: string): number => weightOf(text, model);
  const parts = { folder, input, engine, meter, weigh, signal: watch.signal, budget, limits };
  const job = new Job(manifest, parts);
  const done = await job.run();
  return { manifest: done, progress: meter.read(), batch: { ...batch, tokensAtEnd: budget.tokens } };
}

/** Everything that affects vectors, with the digests of the model's files. */
export async function modelRecord(model: EmbedModel): Promise<ModelRecord> {
  const [weightsSha256, tokenizerSha256] = await digestsOf(model);
  const { name, runtime, precision, poolings, normalize, maxTokens, prompt, poolPrompt, dimensions } = model;
  return {
    name,
    runtime,
    weightsSha256,
    tokenizerSha256,
    precision,
    poolings,
    normalize,
    maxTokens,
    prompt,
    poolPrompt,
    dimensions,
  };
}

const digestsOf = (model: EmbedModel): Promise<readonly [string, string]> =>
  model.runtime === 'onnxruntime'
    ? Promise.all([onnxDigest(model.madeFrom ?? model.onnx), fileDigest(model.tokenizer)])
    : Promise.all([filesDigest(model.weights), filesDigest(model.tokenizers)]);

export function newManifest(
  order: ManifestOrder,
  model: ModelRecord,
  input: Input,
  survey: Survey,
): Manifest {
  const { part, modelFolder, format, rowsPerShard, createdBy } = order;
  if (survey.rows === null && part.of > 1) {
    throw new EmbedError('usage', 'Standard input cannot be split because its size is unknown. Give a file.');
  }
  const range = survey.rows === null ? { first: 0, rows: null } : rangeOf(survey.rows, part);
  if (range.rows === 0) {
    throw new EmbedError(
      'usage',
      `${input.name}: it has ${survey.rows ?? 0} texts, too few for ${part.of} parts.`,
    );
  }
  const { path, format: inputFormat, emptyWhenMissing, limit } = order.input;
  return {
    schema: SCHEMA,
    state: 'running',
    createdBy,
    model,
    modelFolder,
    input: { path, format: inputFormat, ...input.columns, emptyWhenMissing, limit, ...survey },
    dimensions: null,
    dtype: 'float32',
    format,
    rowsPerShard,
    part,
    firstRow: range.first,
    rows: range.rows,
    shards: [],
  };
}

/** The manifest of an earlier run, if this run would continue it. */
function sameAs(
  before: Manifest,
  model: ModelRecord,
  survey: Survey,
  { folder, input }: EmbedOrder,
): Manifest {
  const difference = modelDifference(before.model, model);
  if (difference !== null) {
    throw new EmbedError(
      'changed',
      `${folder}: it was begun with ${difference}; go on with the same, or begin anew in another folder.`,
    );
  }
  if (before.input.sha256 !== survey.sha256) {
    throw new EmbedError(
      'changed',
      `${input.path}: ${folder} was begun with another input, ${before.input.path}. Name that one with --input, or use another folder.`,
    );
  }
  return before;
}

const FLOAT_BYTES = 4;

/** Checks that the remaining vectors fit on the disk. */
async function checkDisk(folder: string, manifest: Manifest, dimensions: number | null): Promise<void> {
  if (manifest.rows === null || dimensions === null) return;
  const done = manifest.shards.reduce((sum, { rows }) => sum + rows, 0);
  const { bavail, bsize } = await statfs(join(folder));
  checkRoom(folder, bavail * bsize, (manifest.rows - done) * dimensions * FLOAT_BYTES);
}
