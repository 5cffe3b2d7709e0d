export type ProfileProblem =
  'python' | 'packages' | 'version' | 'cannot' | 'failed' | 'timed-out' | 'aborted' | 'protocol';

/** What went wrong, for people: what happened and what to do. */
export class ProfileError extends Error {
  constructor(
    readonly kind: ProfileProblem,
    message: string,
  ) {
    super(message);
  }
}
