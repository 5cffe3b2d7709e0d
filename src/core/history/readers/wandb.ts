import { isRecord, numberIn, parsedJson, textIn } from '../../text/json';
import type { JsonRecord } from '../../text/json';
import { basename, join } from '../../text/paths';
import { parseYaml } from '../../yaml/parse';
import { plainOf } from '../../yaml/scalars';
import { asConfig, configText } from '../huggingFaceConfig';
import type { LogFacts, LogFiles, LoggedConfig, LoggedGpu, LogReader } from '../logs';
import { noFacts } from '../logs';
import { factsOfOutput } from '../outputFacts';
import { bytesIn, protoFields, textOf, wandbRecords } from '../records';
import { isStep, Scalars, TimedSteps } from '../scalars';

/** A user may choose the id, so that it can have dashes. */
const RUN = /^(?:(?:offline-)?run-(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)-[\w-]+|latest-run)$/;

/** Weights & Biases: a run's folder in `wandb`, with its files and its `.wandb` transaction log. */
export const wandb: LogReader = {
  async read({ path, names }, files) {
    const match = RUN.exec(basename(path));
    const log = names.find(name => name.endsWith('.wandb'));
    if (!match || (log === undefined && !names.includes('files'))) return [];
    const run = new WandbRun();
    await run.readFiles(join(path, 'files'), files);
    if (log !== undefined) run.readLog((await files.bytes(join(path, log))) ?? new Uint8Array(0));
    return run.isAny ? [run.facts(path, startOf(match))] : [];
  },
};

/** The folder's name has the local time of the start; the zone is not stated. */
function startOf(match: RegExpExecArray): number | null {
  const [, ...parts] = match;
  if (parts[0] === undefined) return null;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

class WandbRun {
  private readonly scalars = new Scalars();
  private config: Record<string, unknown> = {};
  private metadata: JsonRecord = {};
  private readonly rows = new TimedSteps();
  private output: ReturnType<typeof factsOfOutput> | null = null;
  private versions: Record<string, string> = {};
  isAny = false;

  async readFiles(folder: string, files: LogFiles): Promise<void> {
    const text = async (name: string): Promise<string> => {
      const found = await files.text(join(folder, name));
      this.isAny ||= found !== null;
      return found ?? '';
    };
    const summary = parsedJson(await text('wandb-summary.json'));
    if (isRecord(summary)) this.scalars.addAll(summary);
    const metadata = parsedJson(await text('wandb-metadata.json'));
    if (isRecord(metadata)) this.metadata = metadata;
    this.config = unwrapped(await text('config.yaml'));
    const output = await text('output.log');
    if (output !== '') this.output = factsOfOutput(output);
    // Before 0.10, wandb wrote metrics of the system as lines.
    for (const line of (await text('wandb-events.jsonl')).split('\n')) {
      const record = line.startsWith('{') ? parsedJson(line) : null;
      if (isRecord(record)) this.scalars.addAll(record);
    }
    this.versions = pinned(await text('requirements.txt'));
  }

  /** Records of wandb_internal.proto: history 2, config 5, statistics of the system 7, a run 17. */
  readLog(log: Uint8Array): void {
    const isFirst = Object.keys(this.config).length === 0;
    for (const record of wandbRecords(log)) {
      this.isAny = true;
      for (const { tag, bytes } of protoFields(record)) {
        if (!bytes) continue;
        if (tag === 7) this.items(bytes, 3);
        else if (tag === 2) this.row(itemsOf(bytes, 1));
        else if (tag === 5 && isFirst) this.update(bytes);
        else if (tag === 17 && isFirst) this.update(bytesIn(bytes, 5));
      }
    }
  }

  private items(message: Uint8Array, tag: number): void {
    for (const [name, value] of itemsOf(message, tag)) this.scalars.add(name, value);
  }

  /** A row of the history has the time at which it was logged. */
  private row(items: readonly (readonly [string, unknown])[]): void {
    let step: number | null = null;
    let at: number | null = null;
    for (const [name, value] of items) {
      this.scalars.add(name, value);
      if (isStep(name)) step = numberIn(value);
      if (name === '_timestamp') at = numberIn(value);
    }
    if (step !== null && at !== null) this.rows.add(step, at * 1000);
  }

  private update(config: Uint8Array): void {
    for (const [name, value] of itemsOf(config, 1)) this.config[name] = value;
  }

  facts(path: string, startMs: number | null): LogFacts {
    const { scalars, output, metadata } = this;
    const peaks = scalars.peaks();
    const stated = (output?.peaks ?? []).filter(({ metric }) => peaks.every(one => one.metric !== metric));
    const started = Date.parse(textIn(metadata['startedAt']) ?? '');
    return {
      ...noFacts('wandb', path),
      atMs: Number.isNaN(started) ? startMs : started,
      gpu: gpuOf(metadata),
      peaks: [...peaks, ...stated],
      speed: scalars.speed() ?? output?.speed ?? this.rows.speed('rows of the history'),
      steps: scalars.steps() ?? output?.steps ?? null,
      configs: [...this.own(path), ...commandOf(metadata, path)],
      versions: { ...output?.versions, ...this.versions },
    };
  }

  private own(path: string): readonly LoggedConfig[] {
    const config = asConfig(this.config);
    return Object.keys(config).length === 0
      ? []
      : [{ path: join(path, 'files/config.yaml'), text: configText(config) }];
  }
}

/** Items with a key, or a nested one, and a value as JSON. */
function itemsOf(message: Uint8Array, tag: number): readonly (readonly [string, unknown])[] {
  return protoFields(message).flatMap(({ tag: own, bytes }) => {
    if (own !== tag || !bytes) return [];
    const fields = protoFields(bytes);
    const text = (wanted: number): string =>
      fields.flatMap(field => (field.tag === wanted && field.bytes ? [textOf(field.bytes)] : [])).join('/');
    return [[text(1) || text(2), parsedJson(text(16))] as const];
  });
}

/** `config.yaml` wraps each value: `key: {desc: null, value: 1}`. */
function unwrapped(text: string): Record<string, unknown> {
  const root = text === '' ? null : (parseYaml(text).documents[0]?.root ?? null);
  const plain: unknown = root && plainOf(root, 'pyyaml');
  if (!isRecord(plain)) return {};
  return Object.fromEntries(
    Object.entries(plain).flatMap(([key, value]) =>
      isRecord(value) && 'value' in value ? [[key, value['value']]] : [],
    ),
  );
}

function gpuOf(metadata: JsonRecord): LoggedGpu | null {
  const devices = metadata['gpu_nvidia'] ?? metadata['gpu_devices'];
  const all = Array.isArray(devices) ? devices.filter(isRecord) : [];
  const [first] = all;
  const name = textIn(first?.['name']) ?? textIn(metadata['gpu']) ?? '';
  if (!/[a-z]/i.test(name)) return null;
  return {
    // Some releases write a list of one: `[Tesla T4]`.
    name: name.replace(/^\[|\]$/g, ''),
    totalMiB: totalOf(first ?? {}),
    count: numberIn(metadata['gpu_count']) ?? (all.length > 0 ? all.length : null),
  };
}

/** Releases differ in how they spell the total, and in whether it is a text. */
function totalOf(device: JsonRecord): number | null {
  const bytes = Number(device['memoryTotal'] ?? device['memory_total'] ?? Number.NaN);
  return bytes > 0 ? Math.round(bytes / 2 ** 20) : null;
}

/** The command line of the run as a script. */
function commandOf(metadata: JsonRecord, path: string): readonly LoggedConfig[] {
  const { args, program } = metadata as { readonly args?: unknown; readonly program?: unknown };
  if (!Array.isArray(args) || args.length === 0 || typeof program !== 'string') return [];
  const words = ['python', program, ...args.filter(one => typeof one === 'string')].map(quoted);
  return [{ path: join(path, 'command.sh'), text: `${words.join(' ')}\n` }];
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** Packages whose releases decide memory. */
const PACKAGES = new Set([
  'torch',
  'transformers',
  'accelerate',
  'peft',
  'trl',
  'deepspeed',
  'bitsandbytes',
  'axolotl',
  'llamafactory',
  'unsloth',
  'lightning',
  'ultralytics',
]);

function pinned(requirements: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const line of requirements.split('\n')) {
    const [name = '', version] = line.trim().split('==');
    if (version !== undefined && PACKAGES.has(name.toLowerCase())) found[name.toLowerCase()] = version;
  }
  return found;
}
