import type { RunAnalysis } from '../rules/analysis';
import type { DeviceEstimate, Term } from '../memory/estimate';
import type { Quantity } from '../spec/quantity';
import { describeOrigin, describeValue, sourceKey } from './origin';
import { isTimed, runSpeed, serverSpeed } from '../plan/speed';
import { describeEvidence } from './evidence';
import { describeServedSpeed, speedLine } from './speed';
import { describeHostMemory, describePlacement } from './sentences';
import { describeDataLengths, describeRecord } from './lengths';
import { phaseText, termInWords } from '../memory/words';
import type { TermName } from '../models/terms';
import { mdFilled, mdText, mdCode, mdJoined, mdParagraphs, mdPicture, mdTable } from '../text/markdown';
import type { Markdown } from '../text/markdown';
import { formatBytes, formatRange } from '../units';
import { describeServed } from './served';
import { answer } from './verdict';
import { english, told } from '../text/say';
import { commas, toldList } from '../text/lists';
import type { Say } from '../text/say';

export interface HoverOptions {
  /** Absent: English. */
  readonly say?: Say;
  /** The quantity of the hovered key; null: none. */
  readonly quantity: string | null;
  readonly file: string;
  /** Its text, whose lines are counted by cells if it is a notebook's. */
  readonly text?: string;
  /** Address of the bar's picture; null if pictures cannot be shown. */
  readonly bar: string | null;
  /** Address of a term's color swatch for the legend; absent: no legend swatches. */
  readonly swatch?: (term: TermName) => string;
  /** Address of the picture of the data's lengths; absent or null: not counted. */
  readonly lengths?: string | null;
  /** Links to actions. */
  readonly links?: Markdown;
  /** The dialect's note on the key, as sentences. */
  readonly note?: readonly Markdown[];
  /** What the local GPU shows now; absent or null: nothing new. */
  readonly currentFit?: string | null;
  /** A squiggle on the key already shows the verdict. */
  readonly isVerdictShown?: boolean;
}

/** The most visible characters of a hover, a box of 500 by 250 pixels. */
const MOST = 600;

/** Characters for the key's meaning, its value, and the verdict. */
const KEY = 170;
const VALUE = 120;
const VERDICT = 130;
/** A run's name can be a long cell of a sweep. */
const NAME = 40;

/**
 * The meaning and cost of a key in few words: the key's sentence, the verdict, the bar with its three largest
 * terms, and links. `breakdown` has the whole estimate.
 */
export function hover(analysis: RunAnalysis, options: HoverOptions): Markdown {
  const device = analysis.estimate?.devices[0] ?? null;
  const { say = english } = options;
  const { data } = analysis;
  const first = [
    keySentence(analysis, options),
    options.isVerdictShown ? '' : mdText`**${clip(answer(analysis, say), VERDICT)}**${runName(analysis)}`,
    device && options.bar ? mdPicture(describeBar(say, device), options.bar) : '',
    device ? legend(say, device, options.swatch ?? null) : '',
    options.links ?? '',
  ];
  // Optional parts, if there is room.
  const more = [
    device ? describeServed(say, device) : '',
    serverLine(say, analysis),
    options.currentFit ?? '',
    describeEvidence(say, analysis.evidence),
    data && options.lengths ? mdPicture(describeRecord(say, data.record), options.lengths) : '',
    ...(data ? [describeRecord(say, data.record), ...describeDataLengths(say, data)] : []),
    timeLine(say, analysis),
  ].map(text => (typeof text === 'string' ? mdText`${text}` : text));
  let left = MOST - visibleText(mdParagraphs(first)).length;
  const shown = more.filter(text => {
    if (text.isEmpty) return false;
    const length = visibleText(text).length + 2;
    if (length > left) return false;
    left -= length;
    return true;
  });
  return mdParagraphs([...first, ...shown]);
}

/** A server's speed in one line; '' where it is unknown, and for a server that does not start. */
function serverLine(say: Say, analysis: RunAnalysis): string {
  const speed = analysis.verdict === 'exceeds' ? null : serverSpeed(analysis);
  return speed ? describeServedSpeed(say, speed) : '';
}

/** Time and cost in one line; '' where they are unknown, and for a run that does not get that far. */
function timeLine(say: Say, analysis: RunAnalysis): string {
  if (analysis.verdict === 'exceeds') return '';
  const speed = isTimed(analysis) ? runSpeed(analysis) : null;
  return speed?.ok === true ? say('{0}.', speedLine(say, speed)) : '';
}

/** The visible text of Markdown: without addresses, pictures and marks. */
export const visibleText = (markdown: Markdown): string =>
  markdown.source
    .replaceAll(/!\[(?:\\.|[^[\]\\])*\]\([^()]*\)/g, '')
    .replaceAll(/\[((?:\\.|[^[\]\\])*)\]\([^()]*\)/g, '$1')
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll(/\\(.)/g, '$1')
    .replaceAll(/&[a-z]+;/g, ' ')
    .replaceAll('**', '')
    .trim();

const clip = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text;

/** As many sentences of the dialect's note as fit, and the value that the run uses. */
function keySentence(
  analysis: RunAnalysis,
  { quantity, file, text = '', note = [], say = english }: HoverOptions,
): Markdown {
  const own = (quantity && quantityLine(say, analysis, quantity, { file, text })) ?? '';
  let joined = mdText``;
  for (const one of note) {
    const longer = joined.isEmpty ? one : mdText`${joined} ${one}`;
    if (visibleText(longer).length > KEY) break;
    joined = longer;
  }
  return mdParagraphs([joined, own]);
}

/** The three largest terms, each after a square in the bar's color: `weights 10.4 GB · logits and loss 7.1 GB`. */
function legend(say: Say, device: DeviceEstimate, swatch: ((term: TermName) => string) | null): Markdown {
  const largest = device.terms.toSorted((a, b) => b.bytes - a.bytes).slice(0, 3);
  const texts = largest.map(({ term, bytes }) => {
    const color = swatch === null ? '' : mdText`${mdPicture('', swatch(term))} `;
    return mdText`${color}${termInWords(say, term)} ${unbroken(formatBytes(bytes))}`;
  });
  return mdJoined(texts, ' · ');
}

/** Keeps an amount and its unit together. */
const unbroken = (amount: string): Markdown => mdJoined(amount.split(' '), '&nbsp;');

/** The whole estimate as Markdown: the verdict, each term with its formula, the quantities with their origins. */
export function breakdown(analysis: RunAnalysis, file: string, say: Say = english): Markdown {
  const device = analysis.estimate?.devices[0] ?? null;
  const parts = [mdText`**${answer(analysis, say)}**${runName(analysis)}`];
  const { data } = analysis;
  if (data) parts.push(mdJoined([describeRecord(say, data.record), ...describeDataLengths(say, data)], ' '));
  if (device) parts.push(...deviceParts(say, analysis, device, file));
  if (analysis.missing.length > 0) {
    parts.push(mdText`${say('Missing: {0}.', toldList(say, analysis.missing))}`);
  }
  return mdParagraphs(parts);
}

function deviceParts(say: Say, analysis: RunAnalysis, device: DeviceEstimate, file: string): Markdown[] {
  const { low, expected, high } = device.device;
  const shown = device.terms.filter(({ bytes }) => bytes >= LEAST_BYTES);
  const rows = shown.map(term => [termCell(say, term), size(term.bytes), formula(say, term)]);
  const sum = [
    mdText`**${say('device memory')}**`,
    mdText`**${unbroken(formatBytes(expected))}**${GAP}`,
    say('{0} (low–high)', formatRange(low, high)),
  ];
  const table = mdTable([[say('at the peak'), mdText`${say('size')}${GAP}`, say('how')], ...rows, sum], {
    align: ['l', 'r', 'l'],
  });
  const onGpu = [
    table,
    ...tooSmall(say, device),
    mdFilled(say('Peak in the {0}{1}.'), [
      mdText`**${phaseText(say, device.peakPhase)}**`,
      otherPeak(say, device),
    ]),
  ];
  return [
    // A run without a GPU has no terms there.
    ...(analysis.estimate?.onMachine ? [] : onGpu),
    mdText`${describeServed(say, device)}`,
    mdText`${describeEvidence(say, analysis.evidence)}`,
    originList(say, analysis, device, file),
    ...estimateParts(say, analysis.estimate),
    mdText`${say('1 GB = 2³⁰ bytes.')}`,
  ];
}

/** What the estimate assumes and leaves out, and what it needs next to the GPU. */
function estimateParts(say: Say, estimate: RunAnalysis['estimate']): Markdown[] {
  if (!estimate) return [];
  const { assumptions, notCounted } = estimate;
  const texts = [
    assumptions.length > 0 ? say('Assumed: {0}.', toldList(say, assumptions)) : null,
    notCounted.length > 0 ? say('Not counted: {0}.', toldList(say, notCounted)) : null,
    describeHostMemory(say, estimate),
    describePlacement(say, estimate),
  ];
  return texts.flatMap(text => (text === null ? [] : [mdText`${text}`]));
}

const termCell = (say: Say, { term }: Term): string => termInWords(say, term);

const runName = (analysis: RunAnalysis): Markdown =>
  analysis.run.name ? mdText` — ${clip(analysis.run.name, NAME)}` : mdText``;

/** Smaller terms are listed by name only. */
const LEAST_BYTES = 2 ** 20;

function tooSmall(say: Say, { terms }: DeviceEstimate): Markdown[] {
  const names = terms.filter(({ bytes }) => bytes < LEAST_BYTES).map(term => termCell(say, term));
  return names.length === 0 ? [] : [mdText`${say('Below 1 MB each: {0}.', commas(say, names))}`];
}

/** Columns of a hover's table have no spacing: numbers add their own, as an entity so that it is not trimmed. */
const GAP = mdText`&emsp;`;

const size = (bytes: number): Markdown => mdText`${unbroken(formatBytes(bytes))}${GAP}`;

const formula = (say: Say, term: Term): string =>
  term.note ? `${told(say, term.formula)} (${told(say, term.note)})` : told(say, term.formula);

/** The other of the two peaks: forward/backward against optimizer step. */
function otherPeak(say: Say, device: DeviceEstimate): string {
  const step = device.peakPhase === 'optimizer step';
  const other = device.phases
    .filter(({ phase }) => (step ? phase === 'forward' || phase === 'backward' : phase === 'optimizer step'))
    .toSorted((a, b) => b.bytes - a.bytes)[0];
  return other
    ? say('; the {0} needs {1} in torch', phaseText(say, other.phase), formatBytes(other.bytes))
    : '';
}

/** The sources of the numbers: every quantity that the shown terms depend on. */
function originList(say: Say, analysis: RunAnalysis, device: DeviceEstimate, file: string): Markdown {
  const names = [...new Set(device.terms.flatMap(term => term.from))];
  const rows = names.flatMap(name => {
    const quantity = lookUp(analysis, name);
    return quantity
      ? [
          [
            mdCode(sourceKey(name, quantity)),
            describeValue(say, quantity),
            describeOrigin(say, quantity.origin, file),
          ],
        ]
      : [];
  });
  return rows.length === 0 ? mdText`` : mdTable([[say('key'), say('value'), say('from')], ...rows]);
}

function quantityLine(
  say: Say,
  analysis: RunAnalysis,
  name: string,
  { file, text }: { readonly file: string; readonly text: string },
): string | null {
  const quantity = lookUp(analysis, name);
  if (!quantity) return null;
  const key = sourceKey(name, quantity);
  const leaf = key.slice(key.lastIndexOf('.') + 1);
  const raw = say(
    '{0} = {1} ({2})',
    leaf,
    describeValue(say, quantity),
    describeOrigin(say, quantity.origin, file, text),
  );
  const line =
    raw.length > VALUE
      ? clip(raw, VALUE)
      : withNote(say('{0}.', raw), quantity.note && told(say, quantity.note));
  return clip(line, VALUE);
}

const withNote = (line: string, note: string | undefined): string => (note ? `${line} ${note}` : line);

function lookUp(analysis: RunAnalysis, name: string): Quantity<unknown> | null {
  const all: Readonly<Record<string, Quantity<unknown> | undefined>> = {
    ...analysis.run.quantities,
    ...analysis.run.details,
  };
  return all[name] ?? null;
}

const describeBar = (say: Say, device: DeviceEstimate): string =>
  commas(
    say,
    device.terms.map(term => `${termCell(say, term)} ${formatBytes(term.bytes)}`),
  );
