import { PLACE_KINDS } from '../../compare/place';
import type { PlaceKind } from '../../compare/place';
import { isCommon } from '../../hardware/choices';
import { inOrder } from './compare';
import type { ComparedPlace } from './fit';

/** How a list of places is sorted: those that people mostly have or rent first, else by one thing. */
export type PlaceOrder = 'common' | 'fit' | 'price' | 'memory';

/** Places under one heading; types of the catalog come in two parts where the common ones are first. */
export interface PlaceGroup {
  readonly kind: PlaceKind | 'others';
  readonly rows: readonly ComparedPlace[];
}

/** Places under their headings, what is here before what could be had; `onlyFitting` leaves out what does not take the run. */
export function placeGroups(
  rows: readonly ComparedPlace[],
  order: PlaceOrder,
  onlyFitting: boolean,
): readonly PlaceGroup[] {
  const kept = inOrder(onlyFitting ? rows.filter(({ answer }) => answer === 'fits') : rows);
  const sorted = order === 'price' || order === 'memory' ? kept.toSorted(BY[order]) : kept;
  const groupOf = (row: ComparedPlace): PlaceGroup['kind'] =>
    order === 'common' && row.place.kind === 'catalog' && !isUsual(row) ? 'others' : row.place.kind;
  return [...PLACE_KINDS, 'others' as const]
    .map(kind => ({ kind, rows: sorted.filter(row => groupOf(row) === kind) }))
    .filter(group => group.rows.length > 0);
}

/** Many have it, or it can be rented at a known price. */
const isUsual = ({ place, price }: ComparedPlace): boolean => price !== null || isCommon(place.target.name);

/** For all GPUs that the run takes; without a known price last. */
const priceOf = ({ price, takesGpus }: ComparedPlace): number =>
  price === null ? Number.MAX_VALUE : price.usdPerHour * takesGpus;

const BY: Readonly<Record<'price' | 'memory', (a: ComparedPlace, b: ComparedPlace) => number>> = {
  price: (a, b) => priceOf(a) - priceOf(b),
  memory: (a, b) => a.place.target.totalMiB - b.place.target.totalMiB,
};
