import type { Files } from '../core/text/files';
import { isWritten } from '../core/dialects/envelopes/written';
import type { LauncherLookup, LauncherSource } from '../core/dialects/ports';
import { basename, dirname, join } from '../core/text/paths';

/** A text that may start something, and the file names in it. */
interface Launcher {
  readonly path: string;
  readonly names: ReadonlySet<string>;
}

/** Whether a text may start something: edits to other texts change no search. */
export const mayStart = (path: string, text: string): boolean =>
  text.length <= MOST_CHARACTERS &&
  (SCRIPT.test(path) ||
    isWritten(path) ||
    (isProgram(path) && TRAINS.test(text)) ||
    (YAML.test(path) && (ENVELOPE.test(text) || text.includes('.json'))));

const SCRIPT = /\.(?:sh|bash|sbatch|slurm)$/;
const YAML = /\.ya?ml$/;
/** A program that trains, and takes a config by an option or opens it. */
const isProgram = (path: string): boolean => path.endsWith('.py');
const TRAINS = /Trainer\b|TrainingArguments|(?:SFT|DPO|GRPO)Config|\.backward\(|_pretrained\(/;
/** A YAML file with none of these keys starts nothing. */
const ENVELOPE = /^(?:apiVersion|services|run|resources|entrypoint|commands|type|task)\s*:/m;
/** Words that can be file names; searching for the extension within them would restart at every character. */
const WORD = /[\w.+-]+/g;
/** A config whose name a program makes: `f"configs/{method}.yaml"`. */
const MADE = /([\w-]{1,40})\/\{\w{1,40}\}\.ya?ml/g;
/** How a file name may start, and how it ends; GPT-NeoX's configs are written without their extension. */
const FILE_NAME = /^.+\.(?:ya?ml|json|toml)\b/;
const MOST_NAME = 255;

/** Folders next to a config's folder, or above it, that hold its scripts. */
const SCRIPT_FOLDERS =
  /^(?:scripts?|src|train(?:ing)?|jobs?|slurm|launch(?:ers?)?|bin|runs?|deploy|k8s|kubernetes|examples?|recipes?)$/i;
/** A folder of modules within them: `src/package/training`. */
const MODULES = /^(?!tests?$|_)\w+$/;
/** A file that says where packages lie: beside it (packaging.python.org). */
const IS_PROJECT = /^(?:pyproject\.toml|setup\.(?:py|cfg))$/;
/** Folders of modules behind each other, and of one project. */
const MOST_DEPTH = 3;
const MOST_FOLDERS = 40;

const FOLDERS_UP = 8;
const MOST_FILES = 200;
/** Each may be as large as a file may be: so many are held in memory. */
const MOST_AT_ONCE = 16;
/** Scripts are written by hand, so a larger file is not one. */
const MOST_CHARACTERS = 200_000;

/**
 * Launch files around configs: in the config's folder, in its parents up to the workspace's, and in their script
 * folders. Each folder is searched once until it is forgotten.
 */
export class Launchers implements LauncherSource {
  private readonly folders = new Map<string, Promise<Looked>>();

  /**
   * `top` is the folder at which the search ends: the workspace's; null for a file outside all folders, for which
   * only its own folder is searched.
   */
  constructor(
    private readonly files: Files,
    private readonly top: (config: string) => string | null,
  ) {}

  async of(config: string): Promise<LauncherLookup> {
    const name = basename(config);
    const stem = name.replace(/\.\w+$/, '');
    const made = `${basename(dirname(config))}/*`;
    const top = this.top(config);
    const found: string[] = [];
    const dependencies: string[] = [];
    let budget = MOST_FILES;
    for (const folder of foldersUp(dirname(config), top)) {
      for (const looked of await this.within(folder)) {
        dependencies.push(`${looked.folder}/`);
        const near = looked.launchers.slice(0, budget);
        budget -= near.length;
        found.push(
          ...near
            .filter(({ names }) => names.has(name) || names.has(stem) || names.has(made))
            .map(({ path }) => path),
        );
      }
      if (budget <= 0) break;
    }
    return { files: [...new Set(found)].filter(path => path !== config), dependencies };
  }

  /** A folder, its script folders, and the folders of modules in those. */
  private async within(folder: string): Promise<readonly Looked[]> {
    const own = await this.in(folder);
    const all = [own];
    let inner = own.scripts;
    for (let depth = 0; depth < MOST_DEPTH && inner.length > 0; depth++) {
      const next = await Promise.all(inner.slice(0, MOST_FOLDERS - all.length).map(one => this.in(one)));
      all.push(...next);
      inner = next.flatMap(({ modules }) => modules);
    }
    return all;
  }

  /** A file of this folder, or of any, may now start another config. */
  forget(folder?: string): void {
    if (folder === undefined) this.folders.clear();
    else this.folders.delete(folder);
  }

  private in(folder: string): Promise<Looked> {
    const known = this.folders.get(folder) ?? this.look(folder);
    this.folders.set(folder, known);
    return known;
  }

  private async look(folder: string): Promise<Looked> {
    const names = await this.files.list(folder);
    // Programs last: of a folder with many files, they take no script's place.
    const candidates = [
      ...names.filter(name => SCRIPT.test(name) || YAML.test(name) || isWritten(name)),
      ...names.filter(isProgram),
    ].slice(0, MOST_FILES);
    const launchers: Launcher[] = [];
    for (let at = 0; at < candidates.length; at += MOST_AT_ONCE) {
      const some = candidates.slice(at, at + MOST_AT_ONCE).map(name => this.launcher(join(folder, name)));
      launchers.push(...(await Promise.all(some)).filter(one => one !== null));
    }
    const inFolder = (pattern: RegExp): string[] =>
      names.filter(name => pattern.test(name)).map(name => join(folder, name));
    const modules = inFolder(MODULES);
    const scripts = names.some(name => IS_PROJECT.test(name)) ? modules : inFolder(SCRIPT_FOLDERS);
    return { folder, launchers, scripts, modules };
  }

  private async launcher(path: string): Promise<Launcher | null> {
    const answer = await this.files.read(path);
    if (!('text' in answer) || answer.text.length > MOST_CHARACTERS) return null;
    const { text } = answer;
    if (YAML.test(path) && !ENVELOPE.test(text) && !text.includes('.json')) return null;
    if (isProgram(path) && !TRAINS.test(text)) return null;
    const isAny = text.includes('deepy.py');
    const words = (text.match(WORD) ?? []).filter(word => word.length <= MOST_NAME);
    const names = new Set(isAny ? words : words.flatMap(word => FILE_NAME.exec(word)?.[0] ?? []));
    if (isProgram(path)) for (const [, folder = ''] of text.matchAll(MADE)) names.add(`${folder}/*`);
    return names.size > 0 ? { path, names } : null;
  }
}

interface Looked {
  readonly folder: string;
  readonly launchers: readonly Launcher[];
  /** Folders for scripts, and any that may hold modules. */
  readonly scripts: readonly string[];
  readonly modules: readonly string[];
}

/** A folder and its parents, up to the one at which the search ends. */
function foldersUp(from: string, top: string | null): string[] {
  const all = [from];
  let folder = from;
  for (let up = 0; up < FOLDERS_UP && top !== null && folder !== top; up++) {
    const above = dirname(folder);
    if (above === folder || folder === '') break;
    folder = above;
    all.push(folder);
  }
  return all;
}
