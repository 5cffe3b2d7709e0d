import { quantityNames } from '../../../src/core/spec/names';
import type { Quantity } from '../../../src/core/spec/quantity';
import type { Framework, Quantities, RunSpec } from '../../../src/core/spec/runSpec';
import type { DetailName, DetailValues, QuantityName, QuantityValues } from '../../../src/core/spec/values';

export type StatedQuantities = { readonly [Name in QuantityName]?: QuantityValues[Name] | null };
export type StatedDetails = { readonly [Name in DetailName]?: DetailValues[Name] };

/** Quantities that are "none" instead of unknown if a record does not have them. */
const NONE_BY_DEFAULT: ReadonlySet<QuantityName> = new Set([
  'quantization',
  'lora',
  'zeroStage',
  'fsdp',
  'offload',
  'parallel',
  'gradientCheckpointing',
]);

/** A run that states exactly what a record does; `null` states that there is none. */
export function statedRun(
  id: string,
  framework: Framework,
  stated: StatedQuantities,
  details: StatedDetails,
): RunSpec {
  const entries = quantityNames.map(name => [name, quantity(id, name, stated[name])] as const);
  const facts = Object.entries(details).map(([name, value]) => [name, said(id, value)] as const);
  return {
    name: id,
    dialect: 'record',
    role: 'run',
    framework,
    quantities: Object.fromEntries(entries) as unknown as Quantities,
    details: Object.fromEntries(facts),
    sources: [],
    missingFiles: [],
    given: { values: {}, setting: '' },
  };
}

function quantity(id: string, name: QuantityName, value: unknown): Quantity<unknown> {
  if (value !== undefined) return said(id, value);
  if (NONE_BY_DEFAULT.has(name)) return said(id, null);
  return { value: null, origin: { kind: 'unresolved', why: 'The record does not say it.' } };
}

const said = (id: string, value: unknown): Quantity<unknown> => ({
  value,
  origin: { kind: 'user', setting: `record ${id}` },
});
