import { markdownTable } from 'markdown-table';
import type { RunAnalysis } from '../rules/analysis';
import type { DataLengths } from '../learn/dataLengths';
import type { DeviceEstimate, Term } from '../memory/estimate';
import type { Quantity } from '../spec/quantity';
import { describeOrigin, describeValue } from './origin';
import { evidenceInWords } from './evidence';
import { hostInWords } from './host';
import { dataInWords, recordInWords } from './lengths';
import { placedInWords } from './placed';
import { sourceKey } from './keys';
import { phaseInWords } from '../memory/words';
import { formatBytes, formatRange, gigabytes } from '../units';
import { answer } from './verdict';

export interface HoverOptions {
  /** The quantity whose key is hovered, if it is one. */
  readonly quantity: string | null;
  readonly file: string;
  /** Address of the bar's picture, or null where pictures cannot be shown. */
  readonly bar: string | null;
  /** The same of how long the data are; absent or null where that was not counted. */
  readonly lengths?: string | null;
  /** What can be done about it, as Markdown; stands where it is seen without scrolling. */
  readonly links?: string;
  /** What the dialect knows of the key, as Markdown. */
  readonly note?: string | null;
}

/** The whole sum as Markdown: the answer, the bar, each term with its formula, the quantities with their origin. */
export function hover(analysis: RunAnalysis, options: HoverOptions): string {
  const device = analysis.estimate?.devices[0] ?? null;
  const lines = [`**${escape(answer(analysis))}**${runName(analysis)}`];
  if (device && options.bar) lines.push(`![${escape(describeBar(device))}](${options.bar})`);
  if (options.links) lines.push(options.links);
  if (analysis.data) lines.push(...lengthParts(analysis.data, options.lengths ?? null));
  const own = options.quantity && quantityLine(analysis, options.quantity, options.file);
  if (own) lines.push(own);
  if (options.note) lines.push(options.note);
  if (device) lines.push(...deviceParts(analysis, device, options.file));
  if (analysis.missing.length > 0) lines.push(`Missing: ${analysis.missing.map(escape).join('; ')}.`);
  return lines.join('\n\n');
}

function deviceParts(analysis: RunAnalysis, device: DeviceEstimate, file: string): string[] {
  const { low, expected, high } = device.device;
  const shown = device.terms.filter(({ bytes }) => bytes >= LEAST_BYTES);
  const rows = shown.map(term => [escape(term.term), size(term.bytes), formula(term)]);
  const sum = [
    '**device memory**',
    `**${gigabytes(expected)}**${GAP}`,
    `${formatRange(low, high)} (low–high)`,
  ];
  const table = markdownTable([['at the peak', `GB${GAP}`, 'how'], ...rows, sum], { align: ['l', 'r', 'l'] });
  const parts = [
    table,
    ...tooSmall(device),
    `Peak in the **${phaseInWords(device.peakPhase)}**${otherPeak(device)}.`,
  ];
  const rests = evidenceInWords(analysis.evidence);
  if (rests !== '') parts.push(escape(rests));
  parts.push(originList(analysis, device, file));
  const estimate = analysis.estimate;
  if (estimate?.assumptions.length) parts.push(`Assumed: ${estimate.assumptions.map(escape).join('; ')}.`);
  if (estimate?.notCounted.length) parts.push(`Not counted: ${estimate.notCounted.map(escape).join('; ')}.`);
  const host = estimate && hostInWords(estimate);
  if (host) parts.push(escape(host));
  const placed = estimate && placedInWords(estimate);
  if (placed) parts.push(escape(placed));
  parts.push('1 GB = 2³⁰ bytes.');
  return parts;
}

/** How long the data are: the picture, what was counted, and what it decides. */
function lengthParts(data: DataLengths, picture: string | null): string[] {
  const counted = recordInWords(data.record);
  const said = [counted, ...dataInWords(data)].map(escape).join(' ');
  return picture === null ? [said] : [`![${escape(counted)}](${picture})`, said];
}

const runName = (analysis: RunAnalysis): string =>
  analysis.run.name ? ` — ${escape(analysis.run.name)}` : '';

/** Terms below this are told by name only. */
const LEAST_BYTES = 2 ** 20;

function tooSmall({ terms }: DeviceEstimate): string[] {
  const names = terms.filter(({ bytes }) => bytes < LEAST_BYTES).map(({ term }) => term);
  return names.length === 0 ? [] : [`Below 1 MB each: ${names.map(escape).join(', ')}.`];
}

/** Columns of a hover's table touch: numbers bring their own distance, as an entity, lest it be trimmed. */
const GAP = '&emsp;';

const size = (bytes: number): string =>
  (bytes >= 2 ** 30 * 0.05 ? gigabytes(bytes) : formatBytes(bytes).replace(' ', '&nbsp;')) + GAP;

const formula = (term: Term): string => escape(term.note ? `${term.formula} (${term.note})` : term.formula);

/** The other of the two peaks: forward/backward against optimizer step. */
function otherPeak(device: DeviceEstimate): string {
  const step = device.peakPhase === 'optimizer step';
  const other = device.phases
    .filter(({ phase }) => (step ? phase === 'forward' || phase === 'backward' : phase === 'optimizer step'))
    .toSorted((a, b) => b.bytes - a.bytes)[0];
  return other ? `; the ${phaseInWords(other.phase)} needs ${formatBytes(other.bytes)} in torch` : '';
}

/** Where the numbers come from: every quantity that the shown terms rest on. */
function originList(analysis: RunAnalysis, device: DeviceEstimate, file: string): string {
  const names = [...new Set(device.terms.flatMap(term => term.from))];
  const rows = names.flatMap(name => {
    const quantity = lookUp(analysis, name);
    return quantity
      ? [
          [
            `\`${sourceKey(name, quantity)}\``,
            escape(describeValue(quantity)),
            escape(describeOrigin(quantity.origin, file)),
          ],
        ]
      : [];
  });
  return rows.length === 0 ? '' : markdownTable([['key', 'value', 'from'], ...rows]);
}

function quantityLine(analysis: RunAnalysis, name: string, file: string): string | null {
  const quantity = lookUp(analysis, name);
  if (!quantity) return null;
  const note = quantity.note ? ` ${escape(quantity.note)}` : '';
  const key = sourceKey(name, quantity);
  const raw = `${key} = ${describeValue(quantity)} (${describeOrigin(quantity.origin, file)})`;
  return `${escape(raw)}.${note}`;
}

function lookUp(analysis: RunAnalysis, name: string): Quantity<unknown> | null {
  const all: Readonly<Record<string, Quantity<unknown> | undefined>> = {
    ...analysis.run.quantities,
    ...analysis.run.details,
  };
  return all[name] ?? null;
}

const describeBar = (device: DeviceEstimate): string =>
  device.terms.map(term => `${term.term} ${formatBytes(term.bytes)}`).join(', ');

/** Text of a config inside Markdown: nothing of it may become a link, HTML or a table cell. */
export function escape(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+!|<>~]/g, character => `\\${character}`).replace(/\s+/g, ' ');
}
