import type { Layer } from '../../dialects/engine/compose';
import { CUDA } from '../../dialects/command/nodes';
import { installedIn, releaseOfImage } from '../../dialects/command/pins';
import type { Program } from '../../python/program';
import type { ProgramSource } from '../../python/source';
import type { Argument, Value } from '../../python/value';
import type { Origin, Quantity } from '../../spec/quantity';
import type { Launched, StatedRelease } from '../../spec/runSpec';
import { LineIndex } from '../../text/span';
import type { Span } from '../../text/span';

/** Where an argument stands in its file. */
export function statedBy(
  { name, keySpan, value }: Pick<Argument, 'name' | 'keySpan' | 'value'>,
  opened: Layer,
  source: ProgramSource,
): Origin {
  const [key, valueSpan] = [source.inFile(keySpan), source.inFile(value.span)];
  const { line } = new LineIndex(opened.yaml.text).placeOf(key.start);
  return { kind: 'file', at: { file: opened.path, path: name ?? '', keySpan: key, valueSpan, line } };
}

/** `H100`, `A100-80GB:2`, `H100!:8`: a GPU and how many (modal.com/docs/guide/gpu; Beam and others write the same). */
const NAMED = /^([A-Z][A-Z]?\d[\w-]*)!?(?::(\d{1,2}))?$/i;

/** The GPUs that a platform gives a function or a class by its decorator, around a place in it; null: none is named. */
export function askedGpus(
  program: Program,
  inside: Span,
  opened: Layer,
  source: ProgramSource,
): Launched | null {
  const around = program
    .decorated()
    .filter(({ span }) => span.start <= inside.start && inside.end <= span.end)
    .toSorted((one, other) => other.span.start - one.span.start);
  for (const { args } of around) {
    const asked = args.find(({ name }) => name === 'gpu');
    const [, gpu, count] =
      asked?.value.kind === 'scalar' ? (NAMED.exec(String(asked.value.value)) ?? []) : [];
    if (!asked || gpu === undefined) continue;
    const origin = statedBy(asked, opened, source);
    const devices = { value: Number(count ?? 1), origin, unit: 'GPUs' } as const;
    return { accelerator: CUDA, gpu: { value: gpu, origin }, devices, nodes: ONE_CONTAINER };
  }
  return null;
}

/**
 * The GPUs of the workers that Ray Train starts: one each, unless they ask for more (ray/air/config.py: ScalingConfig).
 * Null: none are asked for, or in several ways.
 */
export function workersOfRay(program: Program, opened: Layer, source: ProgramSource): Launched | null {
  const [only, ...others] = program.besides(name => name === 'ScalingConfig');
  if (!only || others.length > 0) return null;
  const given = (name: string): Argument | undefined => only.args.find(one => one.name === name);
  const workers = given('num_workers');
  const count = scalarOf(workers?.value);
  const gpus = gpusOfWorker(given('resources_per_worker')?.value);
  const isOnGpus = scalarOf(given('use_gpu')?.value) === true;
  if (!workers || typeof count !== 'number' || gpus === null || !isOnGpus) return null;
  const named = given('accelerator_type');
  const gpu = scalarOf(named?.value);
  return {
    accelerator: CUDA,
    gpus: { value: count * gpus, origin: statedBy(workers, opened, source), unit: 'GPUs' },
    ...(named && typeof gpu === 'string' && { gpu: { value: gpu, origin: statedBy(named, opened, source) } }),
  };
}

const scalarOf = (value: Value | undefined): unknown => (value?.kind === 'scalar' ? value.value : undefined);

/** `{"CPU": 4, "GPU": 2}`; one GPU where it names none, null where nobody knows or it is a part of one. */
function gpusOfWorker(resources: Value | undefined): number | null {
  if (!resources) return 1;
  if (resources.kind !== 'fields') return null;
  const stated = resources.fields.find(({ key }) => key === 'GPU');
  const gpus = stated ? scalarOf(stated.value) : 1;
  return typeof gpus === 'number' && gpus >= 1 ? gpus : null;
}

/** The GPUs that a program makes visible to itself before it trains; null: it does not say, or in several ways. */
export function visibleGpus(program: Program, opened: Layer, source: ProgramSource): Launched | null {
  const [only, ...others] = program.environment('CUDA_VISIBLE_DEVICES');
  if (!only || others.length > 0 || only.value.kind !== 'scalar') return null;
  const ids = String(only.value.value)
    .split(',')
    .map(id => id.trim());
  if (!ids.every(id => /^\d{1,3}$/.test(id))) return null;
  const origin = statedBy({ ...only, name: only.key }, opened, source);
  return {
    devices: { value: ids.length, origin, unit: 'GPUs' },
    deviceIds: ids,
    nodes: { value: 1, origin: { kind: 'code', source: 'CUDA_VISIBLE_DEVICES' }, unit: 'nodes' },
    accelerator: CUDA,
  };
}

/** modal.com/docs/guide/gpu: the GPUs of a function are on one machine. */
const ONE_CONTAINER: Quantity<number> = {
  value: 1,
  origin: { kind: 'code', source: 'a function runs in one container' },
  unit: 'nodes',
};

/**
 * What a notebook installs, and a platform's image: `Image.debian_slim().pip_install("vllm==0.8.5")`, or
 * `Image.from_registry("vllm/vllm-openai:v0.9.1")`.
 */
export function installedBy(program: Program, { installs }: ProgramSource): readonly StatedRelease[] {
  const isWanted = (name: string): boolean => INSTALLS.has(name) || name === FROM_IMAGE;
  const calls = [...program.besides(isWanted), ...program.elsewhere(isWanted)];
  const textsOf = (isOf: (name: string) => boolean): readonly string[] =>
    calls
      .filter(({ name }) => isOf(name.slice(name.lastIndexOf('.') + 1)))
      .flatMap(({ args }) => args.flatMap(({ value }) => (value.kind === 'items' ? value.items : [value])))
      .flatMap(value => (value.kind === 'scalar' && typeof value.value === 'string' ? [value.value] : []));
  const pinned = textsOf(name => INSTALLS.has(name));
  const images = textsOf(name => name === FROM_IMAGE).flatMap(image => releaseOfImage(image) ?? []);
  return [...installedIn([...installs, ...pinned]), ...images];
}

const INSTALLS: ReadonlySet<string> = new Set(['pip_install', 'uv_pip_install']);
const FROM_IMAGE = 'from_registry';
