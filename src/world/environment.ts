import { homedir } from 'node:os';

/** The user's environment, read once and passed on, so that tests can replace it. */
export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Paths with '/' separators, as core writes them. */
  readonly home: string;
  readonly workingFolder: string;
}

export function nodeEnvironment(): Environment {
  return {
    variables: process.env,
    home: corePath(homedir()),
    workingFolder: corePath(process.cwd()),
  };
}

/** A local path in core's notation: `C:\data` → `C:/data`. On POSIX a backslash is part of a name. */
export function corePath(path: string): string {
  return process.platform === 'win32' ? path.replaceAll('\\', '/') : path;
}

/** Expands `~` and `~/…` to the home folder. */
export function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? home + path.slice(1) : path;
}
