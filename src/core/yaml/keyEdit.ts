import type { TextEdit } from '../text/textEdit';

/**
 * One key that a remedy sets, or a new section with several, which no one can have one by one. `from` is null when the key
 * was not there.
 */
export interface KeyEdit {
  readonly file: string;
  readonly path: string;
  readonly from: string | null;
  readonly to: string;
  readonly edit: TextEdit;
  /** Paths of all that it sets, where that is more than `path`. */
  readonly keys?: readonly string[];
}
