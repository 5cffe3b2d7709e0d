/** The kinds of failures of an embedding. */
type EmbedFault =
  | 'bad-input'
  | 'bad-model'
  | 'bad-output'
  | 'busy'
  | 'changed'
  | 'disk'
  | 'engine'
  | 'no-model'
  | 'usage';

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
  ENOSPC: 'no disk space left; free some space and resume',
  EDQUOT: 'disk quota exceeded; free some space and resume',
  EFBIG: 'the file exceeds the size limit of this system; use a smaller --rows-per-shard',
  EACCES: 'not writable; change its permissions or choose another folder',
  EPERM: 'not writable; change its permissions or choose another folder',
  EROFS: 'the disk is read-only; choose another folder',
  ENOTDIR: 'a part of the path is not a folder; choose another path',
  ENOENT: 'it no longer exists',
  EIO: 'the disk reports an error',
};

/** Converts a file system error into a sentence; other errors are unchanged. */
export function diskFault(path: string, error: unknown): Error {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const what = DISK[code];
  if (what !== undefined) return new EmbedError('disk', `${path}: ${what}.`);
  return error instanceof Error ? error : new Error(String(error));
}
