/** What kept an embedding from going on, by kind. */
export type EmbedFault =
  'bad-input' | 'bad-model' | 'bad-output' | 'busy' | 'changed' | 'disk' | 'engine' | 'no-model' | 'usage';

/** One sentence for the user: what happened, where, and what to do. */
export class EmbedError extends Error {
  constructor(
    readonly fault: EmbedFault,
    message: string,
  ) {
    super(message);
    this.name = 'EmbedError';
  }
}

const DISK: Readonly<Record<string, string>> = {
  ENOSPC: 'there is no space left on the disk; make room and go on',
  EDQUOT: 'the disk quota is used up; make room and go on',
  EFBIG: 'the file grew beyond what this system allows; take fewer --rows-per-shard',
  EACCES: 'it may not be written; change its permissions or name another folder',
  EPERM: 'it may not be written; change its permissions or name another folder',
  EROFS: 'the disk is read-only; name a folder elsewhere',
  ENOTDIR: 'a part of the path is no folder; name another one',
  ENOENT: 'it is not there any more',
  EIO: 'the disk reports an error',
};

/** A sentence for what the system said of a file; other errors as they are. */
export function diskFault(path: string, error: unknown): Error {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const what = DISK[code];
  if (what !== undefined) return new EmbedError('disk', `${path}: ${what}.`);
  return error instanceof Error ? error : new Error(String(error));
}
