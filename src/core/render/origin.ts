import type { RunAnalysis } from '../rules/analysis';
import type { Origin, Quantity } from '../spec/quantity';
import { lineInCells } from '../text/cells';
import { basename } from '../text/paths';
import { withSingulars } from '../units';

/**
 * The origin of a value as a phrase: `line 12`, `default of axolotl 0.18`, `not known: …`. `text`: of the file, if it may be a
 * notebook's cells.
 */
export function describeOrigin(origin: Origin, file: string, text = ''): string {
  switch (origin.kind) {
    case 'file':
    case 'referenced': {
      const where = `line ${origin.at.line}`;
      if (origin.at.file !== file) return `${basename(origin.at.file)}, ${where}`;
      return lineInCells(text, origin.at.line) ?? where;
    }
    case 'default':
      return `default of ${origin.framework}${origin.version ? ` ${origin.version}` : ''}`;
    case 'derived':
      return withSingulars(origin.formula);
    case 'code':
      return `in the program: ${origin.source}`;
    case 'user':
      return `set by ${origin.setting}`;
    case 'unresolved':
      return `unknown: ${origin.why}`;
  }
}

/** A value for users: `true`, `bf16`, `r 16, alpha 32 on all linear layers`, `none`, `unknown`. */
export function describeValue(quantity: Quantity<unknown>): string {
  const { value, origin, unit } = quantity;
  if (value === null) return origin.kind === 'unresolved' ? 'unknown' : 'none';
  const text = plain(value);
  if (!unit || typeof value !== 'number') return text;
  return `${text} ${value === 1 ? unit.replace(/s(?=$| \(| of )/, '') : unit}`;
}

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
export const displayName = (name: string): string =>
  NAMES[name] ?? name.replaceAll(/([A-Z])/g, ' $1').toLowerCase();

/** Terms that differ from the quantity's name. */
const NAMES: Readonly<Record<string, string>> = {
  microBatchSize: 'micro-batch size',
  gradAccum: 'gradient accumulation',
  seqLen: 'sequence length',
  precisionRaw: 'precision as written',
  loadDtype: 'dtype of loaded weights',
  lora: 'LoRA',
  zeroStage: 'ZeRO stage',
  fsdp: 'FSDP',
  gpus: 'GPUs',
  evalBatchSize: 'evaluation batch size',
  numWorkers: 'data loader workers',
  kvCache: 'KV cache',
  kvCacheDtype: 'dtype of the KV cache',
};

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
      model: { value: network.name, origin: { kind: 'code' as const, source: network.file } },
    }),
  });
  return all.filter(
    ([name, { origin }]) => origin.kind !== 'unresolved' || (estimate ? from.has(name) : DECISIVE.has(name)),
  );
}
