/**
 * Something that cannot be done, with a sentence that tells the user why and what to do. It is no fault of ours and
 * needs no log. Everything else that is thrown is a bug.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
