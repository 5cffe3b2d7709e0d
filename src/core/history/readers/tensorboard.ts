import { isRecord, parsedJson } from '../../text/json';
import { basename, dirname, join } from '../../text/paths';
import { asConfig, configText } from '../huggingFaceConfig';
import type { LogFacts, LogFiles, LoggedConfig, LogReader } from '../logs';
import { noFacts } from '../logs';
import { configsIn } from '../nearConfigs';
import { bytesIn, numberOfField, protoFields, textOf, tfRecords } from '../records';
import { Scalars, speedBetween } from '../scalars';
import type { TimedStep } from '../scalars';

/** Some people cut the time and the host. */
const EVENTS = /^events\.out\.tfevents(?:\.|$)/;
/** More files in one folder are a sweep of nothing. */
const MOST_FILES = 8;

/** TensorBoard's event files (tensorflow/core/util/event.proto in TFRecords): scalars, and what trainers write down as text. */
export const tensorboard: LogReader = {
  async read({ path, names }, files) {
    const own = names.filter(name => EVENTS.test(name)).toSorted();
    if (own.length === 0) return [];
    const events = new Events();
    for (const name of own.slice(-MOST_FILES)) events.add((await files.bytes(join(path, name))) ?? EMPTY);
    if (!events.isAny) return [];
    return [await factsOf(path, events, files)];
  },
};

const EMPTY = new Uint8Array(0);

async function factsOf(path: string, events: Events, files: LogFiles): Promise<LogFacts> {
  const run = await runOf(path, files);
  const { scalars } = events;
  const near = [...(await configsIn(path, files)), ...(run === path ? [] : await configsIn(run, files))];
  return {
    ...noFacts('tensorboard', run),
    atMs: events.firstMs,
    peaks: scalars.peaks(),
    speed: events.isOfSteps
      ? (speedBetween(events.steps, 'times of the logged steps') ?? scalars.speed())
      : scalars.speed(),
    steps: events.isOfSteps ? events.lastStep : scalars.steps(),
    configs: [...events.configs(path), ...near],
  };
}

/** transformers writes events into `OUTPUT/runs/DATE_HOST`, one folder for each start. */
async function runOf(path: string, files: LogFiles): Promise<string> {
  const above = dirname(path);
  if (basename(path) === 'runs') return above === '' ? path : above;
  if (basename(above) !== 'runs' || dirname(above) === '') return path;
  const starts = await files.names(above);
  return starts.length === 1 ? dirname(above) : path;
}

/** Tags that tell that steps are the optimizer's: transformers' Trainer and Lightning count global_step. */
const COUNTS_STEPS = ['train/learning_rate', 'train/global_step', 'train/epoch', 'epoch'] as const;
/** Tags that are written at every logging, in the order in which they are looked for. */
const TIMED = /^(?:train\/loss|train_loss(?:_step)?|train\/learning_rate|loss)$/i;

/** The most points that the time of a step is taken from. */
const MOST_POINTS = 20_000;

class Events {
  readonly scalars = new Scalars();
  readonly steps: TimedStep[] = [];
  private readonly texts = new Map<string, string>();
  private tag: string | null = null;
  firstMs: number | null = null;
  lastStep: number | null = null;
  isAny = false;

  /** Whether a step is an optimizer step. */
  get isOfSteps(): boolean {
    return COUNTS_STEPS.some(tag => this.scalars.has(tag));
  }

  add(file: Uint8Array): void {
    for (const event of tfRecords(file)) {
      const wallMs = (numberOfField(event, 1) ?? 0) * 1000;
      const step = numberOfField(event, 2) ?? 0;
      this.isAny = true;
      if (wallMs > 0) this.firstMs ??= wallMs;
      for (const { tag, bytes } of protoFields(bytesIn(event, 5))) {
        if (tag === 1 && bytes) this.value(bytes, step, wallMs);
      }
    }
  }

  private value(value: Uint8Array, step: number, wallMs: number): void {
    const tag = textOf(bytesIn(value, 1)).slice(0, 200);
    const tensor = bytesIn(value, 8);
    const number = numberOfField(value, 2) ?? scalarOf(tensor);
    if (number !== null) {
      this.scalars.add(tag, number);
      if (TIMED.test(tag)) this.timed(tag, { step, atMs: wallMs });
    } else if (tag.endsWith('/text_summary')) this.texts.set(tag, textOf(bytesIn(tensor, 8)));
  }

  private timed(tag: string, point: TimedStep): void {
    this.tag ??= tag;
    this.lastStep = Math.max(this.lastStep ?? 0, point.step);
    if (tag === this.tag && this.steps.length < MOST_POINTS) this.steps.push(point);
  }

  /** transformers writes its arguments and the model's config as text (TensorBoardCallback). */
  configs(path: string): readonly LoggedConfig[] {
    const parts = ['model_config/text_summary', 'args/text_summary'].map(tag =>
      parsedJson(this.texts.get(tag) ?? ''),
    );
    const logged = Object.assign({}, ...parts.filter(isRecord)) as Readonly<Record<string, unknown>>;
    if (!isRecord(parts[1])) return [];
    return [{ path: join(path, 'args.json'), text: configText(asConfig(logged)) }];
  }
}

/** TensorFlow 2 writes scalars as tensors: DT_FLOAT is 1. */
function scalarOf(tensor: Uint8Array): number | null {
  if (numberOfField(tensor, 1) !== 1) return null;
  const content = bytesIn(tensor, 4);
  if (content.length === 4) return new DataView(content.buffer, content.byteOffset).getFloat32(0, true);
  const values = bytesIn(tensor, 5);
  return values.length === 4 ? new DataView(values.buffer, values.byteOffset).getFloat32(0, true) : null;
}
