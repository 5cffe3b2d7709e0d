import type { Answer, ComparedPlace } from '../plan/places/fit';
import type { PlaceKind } from '../compare/place';
import { evidenceLabel } from './evidence';
import { planLabel } from './fix';
import { mdText, mdJoined, mdParagraphs, mdTable } from '../text/markdown';
import type { Markdown, Words } from '../text/markdown';
import { lines, tableRows } from '../text/terminal';
import type { Paint, TerminalText } from '../text/terminal';
import { shortDollars, shortDuration, stepsText } from './speed';
import { counted, formatBytes, formatCapacity, formatRange, gigabytes, groupDigits } from '../units';
import { MIB } from '../units';

const ANSWER_WORDS: Readonly<Record<Answer, string>> = {
  fits: 'fits',
  tight: 'tight',
  'with-fix': 'fits with a fix',
  exceeds: 'does not fit',
  'too-few': 'too few GPUs',
  unknown: 'unknown',
};

/** Headings of the groups of places. */
const KIND_WORDS: Readonly<Record<PlaceKind, string>> = {
  local: 'This machine',
  ssh: 'Hosts',
  metrics: 'Metrics',
  slurm: 'Slurm',
  ray: 'Ray',
  kubernetes: 'Kubernetes',
  catalog: 'Catalog',
};

/** One place as short texts; '' if there is nothing to say. */
export interface PlaceTexts {
  readonly where: string;
  /** `2 × RTX 4090`. */
  readonly gpu: string;
  /** `24 GB`, `14.1 of 24 GB free`. */
  readonly memory: string;
  readonly answer: string;
  /** `21.4 GB (19.8–23.0 GB)`. */
  readonly need: string;
  /** `2.1 GB to spare`, `3.0 GB missing`. */
  readonly headroom: string;
  /** `micro batch 8 × 4`. */
  readonly batch: string;
  /** The change that makes it fit, or a note. */
  readonly note: string;
  /** `$1.39/h`. */
  readonly price: string;
  /** `2.3 h`. */
  readonly time: string;
  /** `$6.20`. */
  readonly cost: string;
}

/** `file` is the config: edits in other files name the file. */
export function placeTexts(row: ComparedPlace, file: string): PlaceTexts {
  const { place, fit } = row;
  const { target } = place;
  const many = place.gpus ?? row.takesGpus;
  return {
    where: place.kind === 'local' ? 'this machine' : place.where,
    gpu: many > 1 ? `${many} × ${target.name}` : target.name,
    memory: memory(row),
    answer: answerText(row),
    need: fit.need ? `${formatBytes(fit.need.expected)} (${formatRange(fit.need.low, fit.need.high)})` : '',
    headroom: headroom(fit.headroomBytes),
    batch: fit.largestBatch ? `${fit.largestBatch.microBatchSize} × ${fit.largestBatch.gradAccum}` : '',
    note: noteOf(row, file),
    price: priceText(row),
    time: row.speed ? shortDuration(row.speed.hours) : '',
    cost: row.speed && row.place.kind === 'catalog' ? (shortDollars(row.speed) ?? '') : '',
  };
}

/** A fix may leave a run tight; the text then says so. */
export function answerText({ answer, fit }: ComparedPlace): string {
  return answer === 'with-fix' && fit.fix?.after.verdict === 'tight'
    ? 'tight with a fix'
    : ANSWER_WORDS[answer];
}

function memory({ place: { target } }: ComparedPlace): string {
  const total = formatCapacity(target.totalMiB * MIB);
  if (target.busyMiB <= 0) return total;
  return `${gigabytes(Math.max(0, target.usableMiB - target.busyMiB) * MIB)} of ${total} free`;
}

function headroom(bytes: number | null): string {
  if (bytes === null) return '';
  if (bytes === 0) return 'nothing to spare';
  return bytes < 0 ? `${formatBytes(-bytes)} missing` : `${formatBytes(bytes)} to spare`;
}

function noteOf({ place, fit, answer, takesGpus }: ComparedPlace, file: string): string {
  const free =
    place.free === null
      ? null
      : `${place.free} of ${place.gpus === null ? '? GPUs' : counted(place.gpus, 'GPU')} free`;
  const few =
    answer === 'too-few' ? `needs ${counted(takesGpus, 'GPU')}, ${place.gpus ?? 0} available` : null;
  const missing = fit.missing.length > 0 ? `missing: ${fit.missing.join('; ')}` : null;
  const fix = fit.fix && answer !== 'too-few' ? planLabel(fit.fix, file) : null;
  const basis = fit.evidence ? evidenceLabel(fit.evidence) : null;
  return [few, missing, fix, basis, free, place.note].filter(text => text !== null).join('; ');
}

/** The price of all GPUs that the run uses. */
function priceText({ price, takesGpus }: ComparedPlace): string {
  return price ? `$${(price.usdPerHour * takesGpus).toFixed(2)}/h` : '';
}

const PAINTS: Readonly<Record<Answer, keyof Paint>> = {
  fits: 'good',
  tight: 'warn',
  'with-fix': 'warn',
  exceeds: 'bad',
  'too-few': 'bad',
  unknown: 'dim',
};

const HEAD = [
  'where',
  'GPU',
  'memory',
  'answer',
  'headroom',
  'largest batch',
  'price',
  'time',
  'cost',
  'needs',
  'how',
];

/** The verdicts in all places in one line: `25 fit, 3 tight, 2 do not fit`. */
export function countsText(rows: readonly ComparedPlace[]): string {
  const words: readonly (readonly [Answer, string, string])[] = [
    ['fits', 'fits', 'fit'],
    ['tight', 'is tight', 'are tight'],
    ['with-fix', 'fits it with a fix', 'fit it with a fix'],
    ['exceeds', 'is too small', 'are too small'],
    ['too-few', 'has too few GPUs', 'have too few GPUs'],
    ['unknown', 'is unknown', 'are unknown'],
  ];
  return words
    .flatMap(([answer, one, many]) => {
      const count = rows.filter(row => row.answer === answer).length;
      return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
    })
    .join(', ');
}

/** The table of `headroom compare`, places in the given order; omits empty columns. */
export function compareText(rows: readonly ComparedPlace[], file: string, paint: Paint): TerminalText {
  const cells = rows.map(row => cellsOf(placeTexts(row, file)));
  const shown = HEAD.map((_, column) => cells.some(line => line[column] !== ''));
  const only = (line: readonly string[]): string[] => line.filter((_, column) => shown[column]);
  const [head = '', rule = '', ...body] = tableRows([HEAD, ...cells].map(only));
  const painted = body.map((line, i) => paint[PAINTS[rows[i]?.answer ?? 'unknown']](line));
  return lines([paint.bold(head), rule, ...painted]);
}

/** Memory that is left, as an amount; negative where it is missing. */
function spareText(bytes: number | null): string {
  if (bytes === null) return '';
  return bytes < 0 ? `−${formatBytes(-bytes)}` : formatBytes(bytes);
}

const PAGE_HEAD = [
  'where',
  'GPU',
  'memory',
  'answer',
  'spare',
  'needs',
  'batch',
  'price',
  'time',
  'cost',
  'how',
];

/** Fewer columns than a terminal has, as a page has no room to its right; its headings name the places. */
function pageCells(row: ComparedPlace, file: string): Words[] {
  const texts = placeTexts(row, file);
  const { gpu, memory, answer, batch, price, time, cost, note } = texts;
  const where = row.place.kind === 'local' ? '' : texts.where;
  const needs = row.fit.need ? formatBytes(row.fit.need.expected) : '';
  const spare = spareText(row.fit.headroomBytes);
  // Amounts stay in one line; names and sentences do not need to.
  const whole = [spare, needs, batch, price, time, cost].map(text => mdJoined(text.split(' '), '&nbsp;'));
  const size = row.place.target.busyMiB > 0 ? memory : mdJoined(memory.split(' '), '&nbsp;');
  return [where, gpu, size, answer, ...whole, note];
}

function cellsOf(texts: PlaceTexts): string[] {
  const { where, gpu, memory, answer, need, headroom, batch, price, time, cost, note } = texts;
  return [where, gpu, memory, answer, headroom, batch, price, time, cost, need, note].map(text =>
    text.replaceAll('|', '/'),
  );
}

/** Sentences that explain the columns, if necessary. */
export function compareNotes(rows: readonly ComparedPlace[], left: string | null): string[] {
  const batches = rows.some(({ fit }) => fit.largestBatch !== null)
    ? ['Largest batch: the largest micro-batch × accumulation that fits with the same effective batch size.']
    : [];
  const prices = rows.flatMap(({ price }) => price ?? []);
  const sources = [...new Set(prices.map(({ source, date }) => `${source} on ${date}`))].sort();
  const priced =
    sources.length > 0
      ? [`Prices: on demand, from ${sources.join(' and ')}; rough guidance, not a quote.`]
      : [];
  const [speed] = rows.flatMap(row => row.speed ?? []);
  const assumed =
    speed?.assumedTokens === undefined ? '' : `, if rows have ${groupDigits(speed.assumedTokens)} tokens`;
  const timed = speed
    ? [`Time and cost: of ${stepsText(speed)} as the config is, fixes apart${assumed}.`]
    : [];
  return [...batches, ...priced, ...timed, ...(left === null ? [] : [left]), '1 GB = 2^30 bytes.'];
}

/** The whole comparison as a Markdown page, with a table for each kind of place. */
export function comparePage(
  rows: readonly ComparedPlace[],
  { title, file, left }: { readonly title: string; readonly file: string; readonly left: string | null },
): Markdown {
  const kinds = [...new Set(rows.map(({ place }) => place.kind))];
  const parts = kinds.flatMap(kind => {
    const own = rows.filter(({ place }) => place.kind === kind);
    const cells = own.map(row => pageCells(row, file));
    const shown = PAGE_HEAD.map((_, column) => cells.some(line => String(line[column]) !== ''));
    const only = (line: readonly Words[]): Words[] => line.filter((_, column) => shown[column]);
    return [mdText`## ${KIND_WORDS[kind]}`, mdTable([PAGE_HEAD, ...cells].map(only))];
  });
  return mdParagraphs([mdText`# ${title}`, ...parts, ...compareNotes(rows, left)]);
}

/** `here`, `of gpu-box`, `of 3 machines`. */
function machinesText(present: readonly ComparedPlace[]): string {
  const machines = new Set(present.map(({ place }) => place.where));
  if (machines.size > 1) return `of ${machines.size} machines`;
  return present.some(({ place }) => place.kind === 'local') ? 'here' : `of ${[...machines].join()}`;
}

/**
 * How many of the present GPUs could take the run now: `fits on 2 of 8 GPUs here now`, `fits on the GPU of gpu-box
 * now`, `fits on 5 of 16 GPUs of 3 machines now`. Null if there are none.
 */
export function hereText(rows: readonly ComparedPlace[]): string | null {
  const present = rows.filter(({ place }) => place.kind === 'local' || place.kind === 'ssh');
  const countOf = (some: readonly ComparedPlace[]): number =>
    some.reduce((sum, { place }) => sum + (place.gpus ?? 0), 0);
  const all = countOf(present);
  if (all === 0) return null;
  const isHere = present.every(({ place }) => place.kind === 'local');
  const several = `${all === 1 ? 'the GPU' : `${all} GPUs`} ${machinesText(present)}`;
  const where = all === 1 && isHere ? "this machine's GPU" : several;
  const fitting = countOf(present.filter(({ answer }) => answer === 'fits'));
  const tight = countOf(present.filter(({ answer }) => answer === 'tight'));
  if (fitting > 0) return `fits on ${all === 1 ? '' : `${fitting} of `}${where} now`;
  if (tight > 0) return `tight on ${all === 1 ? '' : `${tight} of `}${where} now`;
  return all === 1 ? `does not fit ${where} now` : `fits on none of the ${where} now`;
}
