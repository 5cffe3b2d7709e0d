import { dirname } from '../core/text/paths';

/**
 * Which followers depend on which files: missing ones too; a folder, ending with a slash, stands for the names in
 * it.
 */
export class Followers<Follower> {
  private readonly files = new Map<Follower, ReadonlySet<string>>();

  /** Replaces a follower's dependencies; an empty list removes the follower. */
  set(follower: Follower, paths: readonly string[]): void {
    if (paths.length === 0) this.files.delete(follower);
    else this.files.set(follower, new Set(paths));
  }

  clear(): void {
    this.files.clear();
  }

  /** The folders with files that are followed. */
  folders(): ReadonlySet<string> {
    return new Set([...this.files.values()].flatMap(paths => [...paths].map(dirname)));
  }

  /** Followers of this file, or of the names in its folder. */
  of(path: string): readonly Follower[] {
    const folder = `${dirname(path)}/`;
    return this.those(paths => paths.has(path) || paths.has(folder));
  }

  /** Followers of this file's content. */
  ofText(path: string): readonly Follower[] {
    return this.those(paths => paths.has(path));
  }

  /** Followers of anything below this folder. */
  below(folder: string): readonly Follower[] {
    return this.those(paths => [...paths].some(path => path.startsWith(`${folder}/`)));
  }

  private those(rest: (paths: ReadonlySet<string>) => boolean): readonly Follower[] {
    return [...this.files].filter(([, paths]) => rest(paths)).map(([follower]) => follower);
  }
}
