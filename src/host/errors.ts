/**
 * An operation that cannot be done, with a sentence that tells the user why and what to do. It is not a bug and is
 * not logged as one. Everything else that is thrown is a bug.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    message: string,
    /** What would make the operation possible, if a button can offer it. */
    readonly wants: 'trust' | null = null,
  ) {
    super(message);
  }
}

/**
 * Checked by name, because a chunk that loads late has its own copy of the class. Errors of engines (`kind`) are
 * also sentences for the user.
 */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && (error.name === 'Refusal' || error.name === 'JobError');
}

/** Whether the operation is refused only because of Restricted Mode. */
export const wantsTrust = (error: Error): boolean => 'wants' in error && error.wants === 'trust';
