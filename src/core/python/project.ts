import type { Scope } from './bindings';
import type { CommandLine } from './given';
import type { YamlNode } from '../yaml/node';
import { basename, dirname, foldersAbove, isAbsolute, join } from '../text/paths';

/** What is known of the files around a program. Folders are keys that end with a slash. */
export interface ProjectFiles {
  /** Texts by path; null: there is no such file. */
  readonly texts: ReadonlyMap<string, string | null>;
  readonly folders: ReadonlyMap<string, readonly string[]>;
  /** Configs as Hydra composes them, by the path of their root; null: there is none. */
  readonly composed?: ReadonlyMap<string, YamlNode | null>;
  /** Names of programs by path, once one is read. */
  readonly scopes?: Map<string, Scope>;
}

/** What the name of a composed config begins with, among what is wanted. */
export const COMPOSED = '=';

/** Folders above a program in which its modules and configs are searched. */
const MOST_FOLDERS = 4;

/** The files of one program: what it would need and is not read yet is `wanted`. */
export class Project {
  /** Paths of files, and of folders with a slash at the end. */
  readonly wanted = new Set<string>();

  private above: readonly string[] | null = null;

  constructor(
    readonly path: string,
    private readonly files: ProjectFiles,
    /** What a command gives the program; null: it may be started in any way. */
    readonly commandLine: CommandLine | null = null,
  ) {}

  /** The config of the command: a program that loads a file without a known path loads this one. */
  get handed(): string | null {
    return this.commandLine?.config ?? null;
  }

  text(path: string): string | null {
    const known = this.files.texts.get(path);
    if (known === undefined) this.wanted.add(path);
    return known ?? null;
  }

  /** The names of another program: the same each time that the project is read. */
  parsed(path: string, parse: () => Scope): Scope {
    const scope = this.files.scopes?.get(path) ?? parse();
    this.files.scopes?.set(path, scope);
    return scope;
  }

  /** The texts of other programs that were read. */
  programs(): readonly string[] {
    return [...this.files.texts].flatMap(([path, text]) =>
      path.endsWith('.py') && path !== this.path && text !== null ? [text] : [],
    );
  }

  composed(path: string): YamlNode | null {
    const known = this.files.composed?.get(path);
    if (known === undefined && this.files.composed) this.wanted.add(`${COMPOSED}${path}`);
    return known ?? null;
  }

  /** The file of a module as `from` imports it, `.config` or `src.config`; null: it is not of this project. */
  moduleFile(module: string, from: string): string | null {
    const [dots = ''] = /^\.*/.exec(module) ?? [];
    const names = module.slice(dots.length);
    const parts = names === '' ? [] : names.split('.');
    if (dots !== '') {
      const folder = foldersAbove(from, dots.length)[dots.length - 1];
      return folder === undefined ? null : this.moduleIn(folder, parts);
    }
    for (const folder of this.moduleFolders()) {
      const found = this.moduleIn(folder, parts);
      if (found !== null) return found;
    }
    return null;
  }

  /** Folders that modules are imported from; a program may ask for a name of one in each round of a loop. */
  moduleFolders(): readonly string[] {
    this.above ??= foldersAbove(this.path, MOST_FOLDERS).flatMap(above => [above, join(above, 'src')]);
    return this.above;
  }

  /** False if an imported name is of no file of the project, as far as its folders are listed. */
  couldHave(qualified: string): boolean {
    const [first = ''] = qualified.split('.');
    if (first === '') return true;
    return this.moduleFolders().some(folder => {
      const names = this.files.folders.get(`${folder}/`);
      return !names || names.includes(first) || names.includes(`${first}.py`);
    });
  }

  /** A config that the program opens: relative to its folder or one above, where programs are started. */
  dataFile(path: string): string | null {
    const folders = foldersAbove(this.path, MOST_FOLDERS);
    // Made of `__file__`, which may be relative as well.
    if (this.isWhole(path)) return folders.some(folder => isBelow(path, folder)) ? this.existing(path) : null;
    for (const folder of folders) {
      const found = this.existing(join(folder, path));
      if (found !== null) return found;
    }
    return null;
  }

  /** The file of the project that an absolute path names where the program runs: `/app/config/train.yaml`. */
  tailOf(path: string): string | null {
    const parts = path.split('/').slice(1);
    const tails = parts.map((_, at) => parts.slice(at));
    for (const folder of foldersAbove(this.path, MOST_FOLDERS)) {
      for (const tail of tails) {
        const isThere = tail.every((part, at) => this.has(tail.slice(0, at).reduce(join, folder), part));
        // A name alone may be of any file.
        if (tail.length > 1 && isThere) return join(folder, tail.join('/'));
      }
    }
    return null;
  }

  /** Whether a path is absolute when the program runs. */
  isWhole(path: string): boolean {
    const top = foldersAbove(this.path, MOST_FOLDERS).at(-1) ?? '';
    return isAbsolute(path) || (top !== '' && isBelow(path, top));
  }

  /** Whether there is a file or a folder in the project; null: it is outside, or its folder is not listed yet. */
  exists(path: string): boolean | null {
    const folders = foldersAbove(this.path, MOST_FOLDERS);
    if (this.isWhole(path)) {
      return folders.some(folder => isBelow(path, folder)) ? this.isThere(path, folders) : null;
    }
    const found = folders.map(folder => this.isThere(join(folder, path), folders));
    return found.includes(true) ? true : found.includes(null) ? null : false;
  }

  private isThere(path: string, above: readonly string[]): boolean | null {
    const parent = dirname(path);
    if (parent === path || parent === '') return null;
    const isParent = above.includes(parent) || this.isThere(parent, above);
    if (isParent !== true) return isParent;
    const names = this.names(parent);
    return this.files.folders.has(`${parent}/`) ? names.includes(basename(path)) : null;
  }

  private moduleIn(folder: string, parts: readonly string[]): string | null {
    let at = folder;
    for (const part of parts.slice(0, -1)) {
      if (!this.has(at, part)) return null;
      at = join(at, part);
    }
    const last = parts.at(-1);
    if (last === undefined) return this.existing(join(at, '__init__.py'));
    // A package comes before a module of the same name.
    const whole = this.has(at, last) ? this.existing(join(at, `${last}/__init__.py`)) : null;
    return whole ?? (this.has(at, `${last}.py`) ? join(at, `${last}.py`) : null);
  }

  /** Names in a folder; empty if it isn't listed yet. */
  names(folder: string): readonly string[] {
    const names = this.files.folders.get(`${folder}/`);
    if (!names) this.wanted.add(`${folder}/`);
    return names ?? [];
  }

  private existing(path: string): string | null {
    return this.has(dirname(path), path.slice(path.lastIndexOf('/') + 1)) ? path : null;
  }

  private has(folder: string, name: string): boolean {
    return this.names(folder).includes(name);
  }
}

const isBelow = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);
