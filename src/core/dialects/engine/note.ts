import type { Location } from '../../spec/quantity';

/** Something in a config that cannot be intended; a rule reports it. */
export interface Note {
  readonly code:
    /** A value that the framework rejects: text, NaN, a negative size. */
    | 'unreadable-value'
    /** A file that the config names but that is missing or unreadable. */
    | 'missing-file'
    /** A file that includes itself, directly or indirectly. */
    | 'circular-files'
    /** A key in two files that are passed to a program together, which rejects duplicates. */
    | 'key-in-two-files';
  readonly at: Location;
  /** One sentence: the value and the problem. */
  readonly message: string;
}

/** Adds a note unless the place already has one: several runs may read the same key. */
export function addNote(notes: Note[], note: Note): void {
  const same = ({ at }: Note): boolean => at.file === note.at.file && at.path === note.at.path;
  if (!notes.some(same)) notes.push(note);
}
