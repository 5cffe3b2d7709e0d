import type { FrozenPart } from '../../spec/values';
import type { Asker } from './asker';

/** Parts that keys of their own freeze; none where nobody says. */
export function frozenPartsOf(asker: Asker): readonly FrozenPart[] {
  return asker.detail('frozenParts') ?? [];
}
