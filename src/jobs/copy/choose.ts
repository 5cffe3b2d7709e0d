import { lstat, readdir, readlink } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { ignoreRules } from '../../core/text/ignore';
import type { IgnoreRules } from '../../core/text/ignore';
import { boundedText } from '../../files/bounded';
import { JobError } from '../engine';

/** The files of a folder to copy to a host. */
export interface Choice {
  readonly folder: string;
  /** Relative to the folder, with slashes; includes links. */
  readonly files: readonly string[];
  readonly bytes: number;
  /** The largest files, for a user who must reduce the size. */
  readonly biggest: readonly { readonly path: string; readonly bytes: number }[];
  /** What is not copied, and why: names of files and folders (with a trailing slash), in the order of the walk. */
  readonly leftOut: readonly { readonly path: string; readonly why: string }[];
}

/** An ignore file's rules and its folder. */
interface Rules {
  readonly folder: string;
  readonly name: string;
  readonly rules: IgnoreRules;
}

/** The last one takes precedence: rules for Headroom override the others. */
const FILES = ['.gitignore', '.headroomignore'] as const;

/** Useless or private elsewhere; `.headroomignore` can include them again. */
const ALWAYS = ignoreRules(
  ['.git', '__pycache__/', 'node_modules/', '.ipynb_checkpoints/', '.DS_Store', '.env', '.env.*'].join('\n'),
);

/** A folder with more files is not a folder of code, and would take too long. */
const MOST_FILES = 100_000;
const MOST_BIGGEST = 5;

/** Chooses files by `.gitignore` (also of parent folders within the repository) and `.headroomignore`. */
export async function chooseFiles(folder: string): Promise<Choice> {
  const root = resolve(folder);
  const walk = new Walk(root);
  await walk.enter(root, [
    { folder: root, name: "Headroom's own rules", rules: ALWAYS },
    ...(await rulesAbove(root)),
  ]);
  return walk.choice();
}

/** Files by name, even if an ignore file lists them. */
export async function theseFiles(folder: string, files: readonly string[]): Promise<Choice> {
  const all = await Promise.all(
    files.map(async path => ({ path, bytes: (await lstat(join(folder, path))).size })),
  );
  const bytes = all.reduce((sum, file) => sum + file.bytes, 0);
  return { folder: resolve(folder), files, bytes, biggest: all.slice(0, MOST_BIGGEST), leftOut: [] };
}

class Walk {
  private readonly files: { readonly path: string; readonly bytes: number }[] = [];
  private readonly leftOut: { readonly path: string; readonly why: string }[] = [];

  constructor(private readonly root: string) {}

  choice(): Choice {
    const { files, leftOut, root } = this;
    const biggest = files.toSorted((a, b) => b.bytes - a.bytes).slice(0, MOST_BIGGEST);
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    return { folder: root, files: files.map(({ path }) => path), bytes, biggest, leftOut };
  }

  async enter(folder: string, above: readonly Rules[]): Promise<void> {
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
      if (folder !== this.root) return this.skip(folder, true, 'it is not readable');
      throw new JobError('disk', `${folder} is not readable.`, error instanceof Error ? error.message : null);
    });
    const names = new Set(entries.map(entry => entry.name));
    const own = await Promise.all(FILES.filter(name => names.has(name)).map(name => rulesIn(folder, name)));
    const rules = [...above, ...own.flat()];
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      await this.take(join(folder, entry.name), entry, rules);
    }
  }

  private async take(path: string, entry: Dirent, rules: readonly Rules[]): Promise<void> {
    const isFolder = entry.isDirectory();
    const rule = ruleFor(path, isFolder, rules);
    if (rule !== null) this.skip(path, isFolder, rule.name);
    else if (isFolder && (await isEnvironment(path))) this.skip(path, true, 'a Python environment');
    else if (isFolder) await this.enter(path, rules);
    else if (entry.isSymbolicLink() && !(await pointsInside(path, this.root))) {
      this.skip(path, false, 'a link to a place outside the folder');
    } else if (entry.isFile() || entry.isSymbolicLink()) await this.add(path);
  }

  private async add(path: string): Promise<void> {
    const found = await lstat(path).catch(() => null);
    if (found === null) return;
    if (this.files.length >= MOST_FILES) {
      throw new JobError(
        'refused',
        `${this.root} has more than ${MOST_FILES.toLocaleString('en')} files to copy. Exclude some in .headroomignore, or choose a folder on the host.`,
      );
    }
    this.files.push({ path: this.inside(path), bytes: found.isFile() ? found.size : 0 });
  }

  private skip(path: string, isFolder: boolean, why: string): [] {
    this.leftOut.push({ path: this.inside(path) + (isFolder ? '/' : ''), why });
    return [];
  }

  private inside(path: string): string {
    return relative(this.root, path).split(sep).join('/');
  }
}

function ruleFor(path: string, isFolder: boolean, rules: readonly Rules[]): Rules | null {
  for (const one of rules.toReversed()) {
    const verdict = one.rules(relative(one.folder, path).split(sep).join('/'), isFolder);
    if (verdict !== null) return verdict ? one : null;
  }
  return null;
}

async function rulesIn(folder: string, name: string): Promise<readonly Rules[]> {
  const text = await boundedText(join(folder, name));
  return text === null ? [] : [{ folder, name: name.split('/').at(-1) ?? name, rules: ignoreRules(text) }];
}

/** Rules of the parent folders within the repository; none outside of one. */
async function rulesAbove(root: string): Promise<readonly Rules[]> {
  const above: string[] = [];
  for (let at = root; ; at = dirname(at)) {
    if (await pathExists(join(at, '.git'))) {
      const files = [at, ...above.toReversed()].filter(folder => folder !== root);
      const own = await Promise.all(files.flatMap(folder => FILES.map(name => rulesIn(folder, name))));
      return [...(await rulesIn(at, '.git/info/exclude')), ...own.flat()];
    }
    if (at !== root) above.push(at);
    if (dirname(at) === at) return [];
  }
}

const pathExists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

const isEnvironment = (folder: string): Promise<boolean> => pathExists(join(folder, 'pyvenv.cfg'));

async function pointsInside(path: string, root: string): Promise<boolean> {
  const target = await readlink(path).catch(() => null);
  if (target === null) return false;
  const from = relative(root, resolve(dirname(path), target));
  return !from.startsWith('..') && resolve(target) !== target;
}
