/**
 * Something that cannot be done, with a sentence that tells the user why and what to do. It is no fault of ours and
 * needs no log. Everything else that is thrown is a bug.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    message: string,
    /** What would make it possible, where a button can lead there. */
    readonly wants: 'trust' | null = null,
  ) {
    super(message);
  }
}

/** By its name: a chunk that loads late has its own class. Errors of engines (`kind`) are sentences for people, too. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && (error.name === 'Refusal' || error.name === 'JobError');
}

/** It is refused in Restricted Mode alone. */
export const wantsTrust = (error: Error): boolean => 'wants' in error && error.wants === 'trust';
