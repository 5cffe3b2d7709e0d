import type { TextEdit } from '../text/textEdit';

/**
 * One key that a remedy sets, or a new section whose keys cannot be set separately. `from` is null if the key is
 * new.
 */
export interface KeyEdit {
  readonly file: string;
  readonly path: string;
  readonly from: string | null;
  readonly to: string;
  readonly edit: TextEdit;
  /** All paths that it sets, if there are more than `path`. */
  readonly keys?: readonly string[];
}
