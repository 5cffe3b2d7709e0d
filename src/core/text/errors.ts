/** The message of an error. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The message with the stack trace, for bug reports. */
export const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
