import type { Answer, ComparedPlace } from '../plan/places/fit';
import type { PlaceKind } from '../compare/place';
import { evidenceLabel } from './evidence';
import { planLabel } from './fix';
import { mdText, mdJoined, mdParagraphs, mdTable } from '../text/markdown';
import type { Markdown, Words } from '../text/markdown';
import { lines, tableRows } from '../text/terminal';
import type { Paint, TerminalText } from '../text/terminal';
import { shortDollars, shortDuration, stepsText } from './speed';
import { formatBytes, formatCapacity, formatRange, gigabytes, groupDigits } from '../units';
import { MIB } from '../units';
import type { Speed } from '../speed/speed';
import { gpusText } from '../hardware/describe';
import { english, said, template } from '../text/say';
import { commas, toldList } from '../text/lists';
import type { Say, Template } from '../text/say';

const ANSWER_WORDS: Readonly<Record<Answer, Template>> = {
  fits: template('fits'),
  tight: template('tight'),
  'with-fix': template('fits with a fix'),
  exceeds: template('does not fit'),
  'too-few': template('too few GPUs'),
  unknown: template('unknown'),
};

/** Headings of the groups of places. */
const KIND_WORDS: Readonly<Record<PlaceKind, Template>> = {
  local: template('This machine'),
  ssh: template('Hosts'),
  metrics: template('Metrics'),
  slurm: template('Slurm'),
  ray: template('Ray'),
  kubernetes: template('Kubernetes'),
  catalog: template('Catalog'),
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
export function placeTexts(row: ComparedPlace, file: string, say: Say = english): PlaceTexts {
  const { place, fit } = row;
  const { target } = place;
  const many = place.gpus ?? row.takesGpus;
  return {
    where: place.kind === 'local' ? say('this machine') : place.where,
    gpu: many > 1 ? `${many} × ${target.name}` : target.name,
    memory: memory(say, row),
    answer: answerText(row, say),
    need: fit.need ? `${formatBytes(fit.need.expected)} (${formatRange(fit.need.low, fit.need.high)})` : '',
    headroom: headroom(say, fit.headroomBytes),
    batch: fit.largestBatch ? `${fit.largestBatch.microBatchSize} × ${fit.largestBatch.gradAccum}` : '',
    note: noteOf(say, row, file),
    price: priceText(row),
    time: row.speed ? shortDuration(row.speed.hours) : '',
    cost: row.speed && row.place.kind === 'catalog' ? (shortDollars(row.speed) ?? '') : '',
  };
}

/** A fix may leave a run tight; the text then says so. */
export function answerText({ answer, fit }: ComparedPlace, say: Say = english): string {
  return answer === 'with-fix' && fit.fix?.after.verdict === 'tight'
    ? say('tight with a fix')
    : said(say, ANSWER_WORDS[answer]);
}

function memory(say: Say, { place: { target } }: ComparedPlace): string {
  const total = formatCapacity(target.totalMiB * MIB);
  if (target.busyMiB <= 0) return total;
  return say('{0} of {1} free', gigabytes(Math.max(0, target.usableMiB - target.busyMiB) * MIB), total);
}

function headroom(say: Say, bytes: number | null): string {
  if (bytes === null) return '';
  if (bytes === 0) return say('nothing to spare');
  return bytes < 0 ? say('{0} missing', formatBytes(-bytes)) : say('{0} to spare', formatBytes(bytes));
}

function noteOf(say: Say, { place, fit, answer, takesGpus }: ComparedPlace, file: string): string {
  const parts = [
    answer === 'too-few' ? say('needs {0}, {1} available', gpusText(say, takesGpus), place.gpus ?? 0) : null,
    fit.missing.length > 0 ? say('missing: {0}', toldList(say, fit.missing)) : null,
    fit.fix && answer !== 'too-few' ? planLabel(say, fit.fix, file) : null,
    fit.evidence ? evidenceLabel(say, fit.evidence) : null,
    place.free === null ? null : freeText(say, place.free, place.gpus),
    place.note,
  ];
  return parts.filter(text => text !== null).join('; ');
}

function freeText(say: Say, free: number, all: number | null): string {
  if (all === null) return say('{0} of ? GPUs free', free);
  return all === 1 ? say('{0} of 1 GPU free', free) : say('{0} of {1} GPUs free', free, groupDigits(all));
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

const COUNTS: readonly (readonly [Answer, one: Template, many: Template])[] = [
  ['fits', template('{0} fits'), template('{0} fit')],
  ['tight', template('{0} is tight'), template('{0} are tight')],
  ['with-fix', template('{0} fits it with a fix'), template('{0} fit it with a fix')],
  ['exceeds', template('{0} is too small'), template('{0} are too small')],
  ['too-few', template('{0} has too few GPUs'), template('{0} have too few GPUs')],
  ['unknown', template('{0} is unknown'), template('{0} are unknown')],
];

/** The verdicts in all places in one line: `25 fit, 3 tight, 2 do not fit`. */
export function countsText(rows: readonly ComparedPlace[], say: Say = english): string {
  const counts = COUNTS.flatMap(([answer, one, many]) => {
    const count = rows.filter(row => row.answer === answer).length;
    return count === 0 ? [] : [said(say, count === 1 ? one : many, count)];
  });
  return commas(say, counts);
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

const PAGE_HEAD: readonly Template[] = [
  template('where'),
  template('GPU'),
  template('memory'),
  template('answer'),
  template('spare'),
  template('needs'),
  template('batch'),
  template('price'),
  template('time'),
  template('cost'),
  template('how'),
];

/** Fewer columns than a terminal has, as a page has no room to its right; its headings name the places. */
function pageCells(say: Say, row: ComparedPlace, file: string): Words[] {
  const texts = placeTexts(row, file, say);
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
export function compareNotes(
  rows: readonly ComparedPlace[],
  left: string | null,
  say: Say = english,
): string[] {
  const batches = rows.some(({ fit }) => fit.largestBatch !== null)
    ? [
        say(
          'Largest batch: the largest micro-batch × accumulation that fits with the same effective batch size.',
        ),
      ]
    : [];
  const prices = rows.flatMap(({ price }) => price ?? []);
  const sources = [...new Set(prices.map(({ source, date }) => say('{0} on {1}', source, date)))].sort();
  const priced =
    sources.length > 0
      ? [
          say(
            'Prices: on demand, from {0}; rough guidance, not a quote.',
            sources.reduce((all, one) => say('{0} and {1}', all, one)),
          ),
        ]
      : [];
  const [speed] = rows.flatMap(row => row.speed ?? []);
  const timed = speed ? [timedText(say, speed)] : [];
  return [...batches, ...priced, ...timed, ...(left === null ? [] : [left]), say('1 GB = 2^30 bytes.')];
}

function timedText(say: Say, speed: Speed): string {
  const steps = stepsText(say, speed);
  return speed.assumedTokens === undefined
    ? say('Time and cost: of {0} as the config is, fixes apart.', steps)
    : say(
        'Time and cost: of {0} as the config is, fixes apart, if rows have {1} tokens.',
        steps,
        groupDigits(speed.assumedTokens),
      );
}

/** The whole comparison as a Markdown page, with a table for each kind of place. */
export function comparePage(
  rows: readonly ComparedPlace[],
  { title, file, left }: { readonly title: string; readonly file: string; readonly left: string | null },
  say: Say = english,
): Markdown {
  const kinds = [...new Set(rows.map(({ place }) => place.kind))];
  const head = PAGE_HEAD.map(text => said(say, text));
  const parts = kinds.flatMap(kind => {
    const own = rows.filter(({ place }) => place.kind === kind);
    const cells = own.map(row => pageCells(say, row, file));
    const shown = PAGE_HEAD.map((_, column) => cells.some(line => String(line[column]) !== ''));
    const only = (line: readonly Words[]): Words[] => line.filter((_, column) => shown[column]);
    return [mdText`## ${said(say, KIND_WORDS[kind])}`, mdTable([head, ...cells].map(only))];
  });
  return mdParagraphs([mdText`# ${title}`, ...parts, ...compareNotes(rows, left, say)]);
}

/** `the GPU here`, `8 GPUs of gpu-box`, `16 GPUs of 3 machines`. */
function presentText(say: Say, present: readonly ComparedPlace[], gpus: number): string {
  const machines = new Set(present.map(({ place }) => place.where));
  const [machine = ''] = machines;
  const isHere = present.some(({ place }) => place.kind === 'local');
  if (gpus === 1) {
    if (present.every(({ place }) => place.kind === 'local')) return say("this machine's GPU");
    if (machines.size > 1) return say('the GPU of {0} machines', machines.size);
    return isHere ? say('the GPU here') : say('the GPU of {0}', machine);
  }
  if (machines.size > 1) return say('{0} GPUs of {1} machines', gpus, machines.size);
  return isHere ? say('{0} GPUs here', gpus) : say('{0} GPUs of {1}', gpus, machine);
}

/**
 * How many of the present GPUs could take the run now: `fits on 2 of 8 GPUs here now`, `fits on the GPU of gpu-box
 * now`, `fits on 5 of 16 GPUs of 3 machines now`. Null if there are none.
 */
export function hereText(rows: readonly ComparedPlace[], say: Say = english): string | null {
  const present = rows.filter(({ place }) => place.kind === 'local' || place.kind === 'ssh');
  const countOf = (some: readonly ComparedPlace[]): number =>
    some.reduce((sum, { place }) => sum + (place.gpus ?? 0), 0);
  const all = countOf(present);
  if (all === 0) return null;
  const where = presentText(say, present, all);
  const fitting = countOf(present.filter(({ answer }) => answer === 'fits'));
  const tight = countOf(present.filter(({ answer }) => answer === 'tight'));
  if (fitting > 0) {
    return all === 1 ? say('fits on {0} now', where) : say('fits on {0} of {1} now', fitting, where);
  }
  if (tight > 0) {
    return all === 1 ? say('tight on {0} now', where) : say('tight on {0} of {1} now', tight, where);
  }
  return all === 1 ? say('does not fit {0} now', where) : say('fits on none of the {0} now', where);
}
