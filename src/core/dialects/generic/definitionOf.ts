import { emptyDefinition } from '../defined/definition';
import type { DialectDefinition } from '../defined/definition';
import { GENERIC } from './name';

/** A dialect of rows that were found by name; `strong`: keys that tell it. */
export function definitionOf(rows: DialectDefinition['rows'], strong: readonly string[]): DialectDefinition {
  return {
    ...emptyDefinition,
    id: GENERIC,
    title: 'Generic reading',
    signature: { ...emptyDefinition.signature, strong },
    rows,
  };
}
