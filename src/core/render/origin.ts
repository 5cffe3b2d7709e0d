import type { RunAnalysis } from '../rules/analysis';
import type { Origin, Quantity } from '../spec/quantity';
import { basename } from '../text/paths';
import { withSingulars } from '../units';

/** Where a value comes from, in a phrase: `line 12`, `default of axolotl 0.18`, `not known: …`. */
export function describeOrigin(origin: Origin, file: string): string {
  switch (origin.kind) {
    case 'file':
    case 'referenced': {
      const where = `line ${origin.at.line}`;
      return origin.at.file === file ? where : `${basename(origin.at.file)}, ${where}`;
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

/** A value as people read it: `true`, `bf16`, `r 16, alpha 32 on all linear layers`, `none`, `unknown`. */
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

/** The key a quantity is written as, or its canonical name when no file says it. */
export function sourceKey(name: string, quantity: Quantity<unknown>): string {
  const { origin } = quantity;
  return origin.kind === 'file' || origin.kind === 'referenced' ? origin.at.path : name;
}

/** A quantity in the words of the field: `micro-batch size`. */
export const displayName = (name: string): string =>
  NAMES[name] ?? name.replaceAll(/([A-Z])/g, ' $1').toLowerCase();

/** Where the field's own words are others than those of the quantity's name. */
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

/** Quantities that an estimate begins with. */
const DECISIVE: ReadonlySet<string> = new Set([
  'model',
  'method',
  'optimizer',
  'precision',
  'microBatchSize',
  'seqLen',
]);

/** What a run was read as. What is not known is told only where the number would be another one with it. */
export function toldQuantities({ run, estimate }: RunAnalysis): (readonly [string, Quantity<unknown>])[] {
  const from = new Set(estimate?.devices.flatMap(({ terms }) => terms.flatMap(term => term.from)));
  const all: [string, Quantity<unknown>][] = Object.entries({ ...run.quantities, ...run.details });
  return all.filter(
    ([name, { origin }]) => origin.kind !== 'unresolved' || (estimate ? from.has(name) : DECISIVE.has(name)),
  );
}
