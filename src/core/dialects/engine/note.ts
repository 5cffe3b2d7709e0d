import type { Location } from '../../spec/quantity';

/** Something in a config that cannot be what its author meant; a rule reports it. */
export interface Note {
  readonly code:
    /** A value that the framework cannot take: text, NaN, a negative size. */
    | 'unreadable-value'
    /** A file that the config names and that is not there or cannot be read. */
    | 'missing-file'
    /** A file that is laid over itself, by way of others. */
    | 'circular-files'
    /** A key that stands in two files which are given to a program together, and which it refuses twice. */
    | 'key-in-two-files';
  readonly at: Location;
  /** One sentence: what stands there, what is wrong with it. */
  readonly message: string;
}

/** Adds a note unless there is one about the same place: several runs may read the same key. */
export function addNote(notes: Note[], note: Note): void {
  const same = ({ at }: Note): boolean => at.file === note.at.file && at.path === note.at.path;
  if (!notes.some(same)) notes.push(note);
}
