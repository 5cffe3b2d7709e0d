import { PLACE_KINDS } from '../../compare/place';
import type { Answer, ComparedPlace } from './fit';

const BEST_FIRST: readonly Answer[] = ['fits', 'tight', 'with-fix', 'unknown', 'exceeds', 'too-few'];

/**
 * As people look for a place: what is here before what could be had, and what takes the run before what does not; of types
 * that do the smallest first, of all others the one with the most room.
 */
export function inOrder(rows: readonly ComparedPlace[]): readonly ComparedPlace[] {
  return rows.toSorted((a, b) => byKind(a, b) || byAnswer(a, b) || byRoom(a, b) || byName(a, b));
}

const byKind = (a: ComparedPlace, b: ComparedPlace): number =>
  PLACE_KINDS.indexOf(a.place.kind) - PLACE_KINDS.indexOf(b.place.kind);

const byAnswer = (a: ComparedPlace, b: ComparedPlace): number =>
  BEST_FIRST.indexOf(a.answer) - BEST_FIRST.indexOf(b.answer);

function byRoom(a: ComparedPlace, b: ComparedPlace): number {
  const room = ({ place: { target } }: ComparedPlace): number => target.usableMiB - target.busyMiB;
  const smallestFirst = a.place.kind === 'catalog' && a.answer === 'fits';
  return smallestFirst ? room(a) - room(b) : room(b) - room(a);
}

const byName = (a: ComparedPlace, b: ComparedPlace): number => {
  const name = ({ place }: ComparedPlace): string => `${place.where} ${place.target.name}`;
  return name(a) < name(b) ? -1 : Number(name(a) > name(b));
};
