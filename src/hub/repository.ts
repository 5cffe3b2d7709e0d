/** A repository of models: `owner/name` as the Hub allows them. */
interface Repository {
  readonly owner: string;
  readonly name: string;
}

/** Letters, digits, `-`, `_` and `.`, not at either end, at most 96 of them (huggingface_hub/utils/_validators.py). */
const PART = /^[A-Za-z0-9](?:[\w.-]{0,94}[\w])?$/;

/**
 * The repository of an id; null if it is not one. Ids come from strangers' files and become a part of an address and of a
 * folder, so nothing else passes.
 */
export function repositoryOf(id: string): Repository | null {
  const [owner = '', name = '', ...rest] = id.split('/');
  const isOne = rest.length === 0 && PART.test(owner) && PART.test(name);
  return isOne && !/--|\.\./.test(id) && !name.endsWith('.git') ? { owner, name } : null;
}

/** A name of a file at the top of a repository. */
export const isFileName = (name: string): boolean =>
  /^[A-Za-z0-9][\w.-]{0,199}$/.test(name) && !name.includes('..');
