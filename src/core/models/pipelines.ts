import { comparableId } from './names';
import type { Companion, ModelFacts, PipelineFacts, PipelinePart } from './model';
import { noFacts } from './noFacts';
import images from './imagePipelines.json';
import partsTable from './pipelineParts.json';
import table from './pipelines.json';
import files from './singleFiles.json';

type Row = Readonly<Record<string, unknown>>;

const ROWS: Readonly<Record<string, Row>> = { ...table.models, ...images.models };
const COMPONENTS: Readonly<Record<string, Omit<Companion, 'name' | 'kind'> & { readonly kind: string }>> =
  table.components;

/** Rows by every name of their pipelines. */
const BY_NAME: ReadonlyMap<string, Row> = new Map(
  Object.entries(ROWS).flatMap(([id, row]) =>
    [id, ...words(row['names'])].map(name => [comparableId(name), row]),
  ),
);

const IDS: ReadonlyMap<Row, string> = new Map(Object.entries(ROWS).map(([id, row]) => [row, id]));

interface PartRow {
  readonly kind: string;
  readonly parameters: number;
  readonly decoder?: PipelinePart['decoder'];
}

const PARTS: Readonly<Record<string, PartRow>> = partsTable.parts;
const PIPELINES: Readonly<
  Record<string, { readonly parts: readonly string[]; readonly side: number; readonly guided: boolean }>
> = partsTable.pipelines;

/**
 * The denoiser of a diffusers pipeline by the pipeline's id, with the pipeline's other models; null for other
 * names.
 */
export function pipelineModel(name: string): ModelFacts | null {
  const row = BY_NAME.get(comparableId(name));
  if (!row) return null;
  const { model_type: modelType, parameters, dtype, companions, ...extra } = row;
  return {
    ...noFacts,
    kind: 'diffusion',
    id: name.trim(),
    modelType: String(modelType),
    dtype: DTYPES.find(known => known === dtype) ?? null,
    publishedTotal: typeof parameters === 'number' ? parameters : null,
    companions: words(companions).flatMap(companion),
    ...pipelineOf(IDS.get(row) ?? ''),
    extra,
  };
}

/** A checkpoint of all weights, by its name without the folder. */
const SINGLE_FILE = /^(?:.*[/\\])?([^/\\]+)\.(?:safetensors|ckpt|pth?|bin)$/;

/** The hub ids of pipelines by the names of the files in which they are published. */
const BY_FILE: ReadonlyMap<string, string> = new Map(
  Object.entries<{ readonly in: string; readonly of?: string }>(files.files).map(
    ([name, { in: published, of }]) => [name.toLowerCase(), of ?? published],
  ),
);

/**
 * The pipeline whose published checkpoint a file is named after: `models/sd_xl_base_1.0.safetensors`; null for other
 * names. Only the name says so.
 */
export function pipelineOfFile(name: string): ModelFacts | null {
  const id = BY_FILE.get(SINGLE_FILE.exec(name.trim())?.[1]?.toLowerCase() ?? '');
  const facts = id === undefined ? null : pipelineModel(id);
  return facts && { ...facts, id: name.trim(), source: 'name', sameAs: id ?? null };
}

function pipelineOf(id: string): { readonly pipeline?: PipelineFacts } {
  const found = PIPELINES[id];
  if (!found) return {};
  const parts = found.parts.flatMap(name => partNamed(name) ?? []);
  return { pipeline: { ...found, parts } };
}

function partNamed(name: string): PipelinePart | null {
  const row = PARTS[name];
  const kind = KINDS.find(known => known === row?.kind);
  return row && kind ? { name, kind, parameters: row.parameters, decoder: row.decoder ?? null } : null;
}

const KINDS = ['text encoder', 'image classifier', 'autoencoder'] as const;

const DTYPES = ['float32', 'bfloat16', 'float16'] as const;

function words(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(one => typeof one === 'string') : [];
}

function companion(name: string): readonly Companion[] {
  const found = COMPONENTS[name];
  if (!found) return [];
  const kind = found.kind === 'autoencoder' ? 'autoencoder' : 'text encoder';
  return [{ ...found, name, kind }];
}
