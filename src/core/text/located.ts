/** A text within another one, with the position of each character. */
export interface Located {
  readonly text: string;
  /** Offset of each character in the outer text, and of the end. */
  readonly at: readonly number[];
}
