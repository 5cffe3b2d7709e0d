/** Why something failed, in the words of its error. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The same with the places in the code that led there, for bug reports. */
export const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
