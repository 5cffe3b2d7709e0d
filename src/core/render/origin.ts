import type { RunAnalysis } from '../rules/analysis';
import type { Origin, Quantity, Unit } from '../spec/quantity';
import { lineInCells } from '../text/cells';
import { basename } from '../text/paths';
import { withSingulars } from '../units';
import { said, template, told } from '../text/say';
import { commas } from '../text/lists';
import { QUANTITY_NAMES } from './quantityNames';
import type { Say, Template } from '../text/say';

/**
 * The origin of a value as a phrase: `line 12`, `default of axolotl 0.18`, `not known: …`. `text`: of the file, if it may be a
 * notebook's cells.
 */
export function describeOrigin(say: Say, origin: Origin, file: string, text = ''): string {
  switch (origin.kind) {
    case 'file':
    case 'referenced': {
      const where = say('line {0}', origin.at.line);
      if (origin.at.file !== file) return commas(say, [basename(origin.at.file), where]);
      return lineInCells(text, origin.at.line) ?? where;
    }
    case 'default':
      return say(
        'default of {0}',
        origin.version ? `${origin.framework} ${origin.version}` : origin.framework,
      );
    case 'derived':
      return withSingulars(told(say, origin.formula));
    case 'code':
      return say('in the program: {0}', told(say, origin.source));
    case 'user':
      return say('set by {0}', origin.setting);
    case 'unresolved':
      return say('unknown: {0}', told(say, origin.why));
  }
}

/** A value for users: `true`, `bf16`, `r 16, alpha 32 on all linear layers`, `none`, `unknown`. */
export function describeValue(say: Say, quantity: Quantity<unknown>): string {
  const { value, origin, unit } = quantity;
  if (value === null) return origin.kind === 'unresolved' ? say('unknown') : say('none');
  const text = plain(value);
  if (!unit || typeof value !== 'number') return text;
  const [one, many] = UNITS[unit];
  return said(say, value === 1 ? one : many, text);
}

const UNITS: Readonly<Record<Unit, readonly [one: Template, many: Template]>> = {
  samples: [template('{0} sample'), template('{0} samples')],
  sentences: [template('{0} sentence'), template('{0} sentences')],
  graphs: [template('{0} graph'), template('{0} graphs')],
  tokens: [template('{0} token'), template('{0} tokens')],
  frames: [template('{0} frame'), template('{0} frames')],
  'mel frames': [template('{0} mel frame'), template('{0} mel frames')],
  'waveform samples': [template('{0} waveform sample'), template('{0} waveform samples')],
  'seconds of audio': [template('{0} second of audio'), template('{0} seconds of audio')],
  'bins (numel)': [template('{0} bin (numel)'), template('{0} bins (numel)')],
  pixels: [template('{0} pixel'), template('{0} pixels')],
  GPUs: [template('{0} GPU'), template('{0} GPUs')],
  nodes: [template('{0} node'), template('{0} nodes')],
  workers: [template('{0} worker'), template('{0} workers')],
};

function plain(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return String(value);
  }
  if (Array.isArray(value)) return value.map(plain).join(', ');
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .filter(([, part]) => part !== null && part !== false && !(Array.isArray(part) && part.length === 0))
    .map(([name, part]) => (part === true ? name : `${name} ${plain(part)}`))
    .join(', ');
}

/** The key of a quantity, or its canonical name if no file states it. */
export function sourceKey(name: string, quantity: Quantity<unknown>): string {
  const { origin } = quantity;
  return origin.kind === 'file' || origin.kind === 'referenced' ? origin.at.path : name;
}

/** The usual term for a quantity: `micro-batch size`. */
export const displayName = (say: Say, name: string): string =>
  isQuantity(name) ? said(say, QUANTITY_NAMES[name]) : name;

const isQuantity = (name: string): name is keyof typeof QUANTITY_NAMES => Object.hasOwn(QUANTITY_NAMES, name);

/** Quantities that every estimate needs. */
const DECISIVE: ReadonlySet<string> = new Set([
  'model',
  'method',
  'optimizer',
  'precision',
  'microBatchSize',
  'seqLen',
]);

/** The quantities that were read. Unknown ones are only listed if they would change the estimate. */
export function shownQuantities({
  run,
  estimate,
  model,
}: RunAnalysis): (readonly [string, Quantity<unknown>])[] {
  const from = new Set(estimate?.devices.flatMap(({ terms }) => terms.flatMap(term => term.from)));
  const network = run.quantities.model.value === null ? model?.network : undefined;
  const all: [string, Quantity<unknown>][] = Object.entries({
    ...run.quantities,
    ...run.details,
    ...(network && {
      model: { value: network.name, origin: { kind: 'code' as const, source: basename(network.file) } },
    }),
  });
  return all.filter(
    ([name, { origin }]) => origin.kind !== 'unresolved' || (estimate ? from.has(name) : DECISIVE.has(name)),
  );
}
