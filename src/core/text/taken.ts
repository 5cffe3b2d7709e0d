import type { TextEdit } from './textEdit';

/**
 * Which of the edits of a text were applied in another text; null if there are other changes. Edits that change
 * nothing count as applied.
 */
export function takenEdits(
  before: string,
  edits: readonly TextEdit[],
  after: string,
): readonly boolean[] | null {
  const ordered = edits
    .map((edit, order) => ({ edit, order }))
    .sort((a, b) => a.edit.span.start - b.edit.span.start || a.order - b.order);
  const taken = new Array<boolean>(edits.length).fill(false);
  const follow = (next: number, at: number, place: number): boolean => {
    const one = ordered[next];
    const end = one?.edit.span.start ?? before.length;
    const same = before.slice(at, end);
    if (!after.startsWith(same, place)) return false;
    const here = place + same.length;
    if (!one) return here === after.length;
    const { span, text } = one.edit;
    const old = before.slice(span.start, span.end);
    // Tries the applied edit first, to prefer the reading with more applied edits.
    for (const [written, isTaken] of [[text, true] as const, [old, false] as const]) {
      taken[one.order] = isTaken;
      if (after.startsWith(written, here) && follow(next + 1, span.end, here + written.length)) return true;
    }
    return false;
  };
  return follow(0, 0, 0) ? taken : null;
}
