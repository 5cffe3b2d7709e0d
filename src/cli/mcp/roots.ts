import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';

/** A reason that the agent reads instead of an answer. */
export class Refusal extends Error {}

/** The folders that tools may read and change. */
export class Roots {
  private constructor(private readonly folders: readonly string[]) {}

  /** Folders that exist, with links resolved; others are left out. */
  static of(folders: readonly string[]): Roots {
    return new Roots(folders.map(realPath).filter(folder => folder !== null));
  }

  /** The real path of a file or folder in one of the roots. Throws a `Refusal` for any other. */
  resolve(path: string): string {
    const found = this.folders.map(root => realPath(resolve(root, path))).find(real => real !== null);
    if (found === undefined) throw new Refusal(`${path}: no such file or folder in the workspace.`);
    if (!this.has(found)) {
      throw new Refusal(`${path} is outside the workspace. Add its folder to headroom mcp.`);
    }
    return found;
  }

  /** Whether an absolute path is of a file or folder in one of the roots, links resolved. */
  has(path: string): boolean {
    const real = realPath(path);
    return real !== null && this.folders.some(root => isBelow(root, real));
  }

  /** The shortest path of a file below the roots, to print. */
  shorten(path: string): string {
    const root = this.folders.find(one => isBelow(one, path));
    return root === undefined ? path : relative(root, path) || '.';
  }
}

function isBelow(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (!way.startsWith('..') && !isAbsolute(way));
}

function realPath(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}
