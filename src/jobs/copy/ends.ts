import type { Talk, TalkEnd } from '../../remote/talk';

/** A child's output and end, for who reads them one after the other. */
export interface Ends {
  bytes: (bytes: Buffer) => void;
  readonly end: Promise<TalkEnd>;
}

/** Listens to a child at once. */
export function ends(talk: Talk): Ends {
  let resolveEnd: (end: TalkEnd) => void = () => undefined;
  const end = new Promise<TalkEnd>(resolve => (resolveEnd = resolve));
  const ends: Ends = { bytes: () => undefined, end };
  talk.listen(
    bytes => ends.bytes(bytes),
    end => resolveEnd(end),
  );
  return ends;
}
