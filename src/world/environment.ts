import { homedir } from 'node:os';

/** What the user's surroundings say, read once and passed on, so that tests can say something else. */
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

/** A path of this machine as core writes paths: `C:\data` → `C:/data`. On POSIX a backslash is part of a name. */
export function corePath(path: string, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32' ? path.replaceAll('\\', '/') : path;
}

/** `~` and `~/…` with the home folder in place. */
export function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? home + path.slice(1) : path;
}
