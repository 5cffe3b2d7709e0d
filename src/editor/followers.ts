import { dirname } from '../core/text/paths';

/** Who rests on which files: missing ones too; a folder, ending with a slash, stands for the names in it. */
export class Followers<Follower> {
  private readonly files = new Map<Follower, ReadonlySet<string>>();

  /** Replaces what a follower rests on; nothing at all forgets it. */
  set(follower: Follower, paths: readonly string[]): void {
    if (paths.length === 0) this.files.delete(follower);
    else this.files.set(follower, new Set(paths));
  }

  clear(): void {
    this.files.clear();
  }

  /** The folders in which someone follows something. */
  folders(): ReadonlySet<string> {
    return new Set([...this.files.values()].flatMap(paths => [...paths].map(dirname)));
  }

  /** Those who rest on this very file, or on the names of its folder. */
  of(path: string): readonly Follower[] {
    const folder = `${dirname(path)}/`;
    return this.those(paths => paths.has(path) || paths.has(folder));
  }

  /** Those who rest on what this very file says. */
  ofText(path: string): readonly Follower[] {
    return this.those(paths => paths.has(path));
  }

  /** Those who rest on something below this folder. */
  below(folder: string): readonly Follower[] {
    return this.those(paths => [...paths].some(path => path.startsWith(`${folder}/`)));
  }

  private those(rest: (paths: ReadonlySet<string>) => boolean): readonly Follower[] {
    return [...this.files].filter(([, paths]) => rest(paths)).map(([follower]) => follower);
  }
}
