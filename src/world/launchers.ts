import type { Files } from '../core/text/files';
import { isWritten } from '../core/dialects/envelopes/written';
import type { LauncherLookup, LauncherSource } from '../core/reading/ports';
import { basename, dirname, join } from '../core/text/paths';
import { projectFolder } from './projectFolder';

/** A text that may start something, and the file names in it. */
interface Launcher {
  readonly path: string;
  readonly names: ReadonlySet<string>;
  /** It may train with a config that it is handed. */
  readonly hasLoop: boolean;
}

const rankOf = (path: string): number => {
  const rank = LIKELY.findIndex(names => names.test(basename(path)));
  return rank < 0 ? LIKELY.length : rank;
};
const byLikelihood = (a: string, b: string): number => rankOf(a) - rankOf(b);

/** Whether a text may start something: edits to other texts change no search. */
export const mayStart = (path: string, text: string): boolean =>
  text.length <= MOST_CHARACTERS &&
  (SCRIPT.test(path) ||
    isWritten(path) ||
    (isProgram(path) && (TRAINS.test(text) || takesConfig(text))) ||
    (YAML.test(path) && (ENVELOPE.test(text) || text.includes('.json'))));

const SCRIPT = /\.(?:sh|bash|sbatch|slurm)$/;
const YAML = /\.ya?ml$/;
/** A program that trains, and takes a config by an option or opens it. */
const isProgram = (path: string): boolean => path.endsWith('.py');
const TRAINS = /Trainer\b|TrainingArguments|(?:SFT|DPO|GRPO)Config|\.backward\(|_pretrained\(/;
/** What a program has that is started, that takes a config, and that trains. */
const LOOPS = [/__name__|add_argument|sys\.argv|\bFire\(/, /config|cfg|yaml/i, /\.backward\(|\boptim|train/i];
const takesConfig = (text: string): boolean => LOOPS.every(each => each.test(text));
/** Names of programs that train, before those of others. */
const LIKELY = [/train|fine_?tune/i, /^(?:main|run)/i];
/** Names of programs that only use what was trained, or prepare for it. */
const UNLIKELY = /eval|test|infer|predict|demo|export|preprocess|prepare|download|visuali[sz]e|plot/i;
/** A YAML file with none of these keys starts nothing. */
const ENVELOPE = /^(?:apiVersion|services|run|resources|entrypoint|commands|type|task)\s*:/m;
/** Words that can be file names; searching for the extension within them would restart at every character. */
const WORD = /[\w.+-]+/g;
/** How a file name may start, and how it ends; GPT-NeoX's configs are written without their extension. */
const FILE_NAME = /^.+\.(?:ya?ml|json|toml)\b/;
/** A config whose name a program makes: `f"configs/{method}.yaml"`. */
const MADE = /(?<![\w-])([\w-]{1,40})\/\{\w{1,40}\}\.ya?ml/g;
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

/** Folders of a project's code, by what a package may be called. */
const PACKAGE = /^[a-z_]\w*$/i;
const NO_PACKAGE =
  /^(?:data\w*|docs?|tests?|notebooks?|outputs?|logs?|results?|assets|figures?|images?|con?fi?gs?|hparams|checkpoints?|weights|build|dist|venv|env|node_modules|LICENSE|Makefile|Dockerfile)$/i;
const MOST_PACKAGES = 8;
const DEEPEST = 2;

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
   * `top` is the folder at which the search ends: the workspace's; null for a file outside all folders, whose search
   * ends at the top folder of its project. Without one, only the file's own folder is searched.
   */
  constructor(
    private readonly files: Files,
    private readonly top: (config: string) => string | null,
  ) {}

  async of(config: string): Promise<LauncherLookup> {
    const name = basename(config);
    const stem = name.replace(/\.\w+$/, '');
    const made = `${basename(dirname(config))}/*`;
    const top = this.top(config) ?? (await projectFolder(this.files, config));
    const found: string[] = [];
    const programs: string[] = [];
    const dependencies: string[] = [];
    let budget = MOST_FILES;
    for (const folder of foldersUp(dirname(config), top)) {
      for (const looked of await this.within(folder)) {
        dependencies.push(`${looked.folder}/`);
        const near = looked.launchers.slice(0, budget);
        budget -= near.length;
        programs.push(...looked.programs);
        found.push(
          ...near
            .filter(({ names }) => names.has(name) || names.has(stem) || names.has(made))
            .map(({ path }) => path),
        );
      }
      if (budget <= 0) break;
    }
    const files = [...new Set(found)].filter(path => path !== config);
    return { files, programs: () => this.loops(programs, foldersUp(dirname(config), top)), dependencies };
  }

  /** Programs with a loop that are near a config, or else in packages of the folders above it. */
  private async loops(near: readonly string[], above: readonly string[]): Promise<readonly string[]> {
    const found =
      near.length > 0 ? near : (await Promise.all(above.map(each => this.below(each, DEEPEST)))).flat();
    return [...new Set(found)].sort(byLikelihood);
  }

  /** A folder, its script folders, and the folders of modules in those. */
  private async within(folder: string): Promise<readonly Looked[]> {
    const own = await this.in(folder);
    const all = [own];
    let inner = own.scripts;
    let read = 0;
    for (let depth = 0; depth < MOST_DEPTH; depth++) {
      const next: string[] = [];
      for (const one of inner) {
        if (read >= MOST_FILES || all.length >= MOST_FOLDERS) return all;
        const looked = await this.in(one);
        read += looked.read;
        all.push(looked);
        next.push(...looked.modules);
      }
      inner = next;
    }
    return all;
  }

  /** A file of this folder, or of any, may now start another config. */
  forget(folder?: string): void {
    if (folder === undefined) this.folders.clear();
    else this.folders.delete(folder);
  }

  /** Programs in the packages of a folder that are called after training. */
  private async below(folder: string, depth: number): Promise<readonly string[]> {
    const names = await this.files.list(folder);
    const packages = names
      .filter(name => PACKAGE.test(name) && !NO_PACKAGE.test(name))
      .slice(0, MOST_PACKAGES);
    const found: string[] = [];
    for (const inner of packages.map(name => join(folder, name))) {
      const { programs } = await this.in(inner);
      found.push(...programs.filter(path => rankOf(path) === 0));
      if (depth > 1) found.push(...(await this.below(inner, depth - 1)));
    }
    return found;
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
    const texts: Launcher[] = [];
    for (let at = 0; at < candidates.length; at += MOST_AT_ONCE) {
      const some = candidates.slice(at, at + MOST_AT_ONCE).map(name => this.launcher(join(folder, name)));
      texts.push(...(await Promise.all(some)).filter(one => one !== null));
    }
    const launchers = texts.filter(one => one.names.size > 0);
    const programs = texts.filter(one => one.hasLoop).map(({ path }) => path);
    const inFolder = (pattern: RegExp): string[] =>
      names.filter(name => pattern.test(name)).map(name => join(folder, name));
    const modules = inFolder(MODULES);
    const scripts = names.some(name => IS_PROJECT.test(name)) ? modules : inFolder(SCRIPT_FOLDERS);
    return { folder, read: candidates.length, launchers, programs, scripts, modules };
  }

  private async launcher(path: string): Promise<Launcher | null> {
    const answer = await this.files.read(path);
    if (!('text' in answer) || answer.text.length > MOST_CHARACTERS) return null;
    const { text } = answer;
    if (YAML.test(path) && !ENVELOPE.test(text) && !text.includes('.json')) return null;
    const hasLoop = isProgram(path) && !UNLIKELY.test(basename(path)) && takesConfig(text);
    if (isProgram(path) && !TRAINS.test(text)) return hasLoop ? { path, names: new Set(), hasLoop } : null;
    const names = namesIn(path, text);
    return names.size > 0 || hasLoop ? { path, names, hasLoop } : null;
  }
}

/** Configs that a text names; GPT-NeoX's launcher takes theirs without an extension. */
function namesIn(path: string, text: string): ReadonlySet<string> {
  const isAny = text.includes('deepy.py');
  const words = (text.match(WORD) ?? []).filter(word => word.length <= MOST_NAME);
  const names = new Set(isAny ? words : words.flatMap(word => FILE_NAME.exec(word)?.[0] ?? []));
  if (isProgram(path) && text.includes('}.y')) {
    for (const [, made = ''] of text.matchAll(MADE)) names.add(`${made}/*`);
  }
  return names;
}

interface Looked {
  readonly folder: string;
  /** How many files of it were read. */
  readonly read: number;
  readonly launchers: readonly Launcher[];
  readonly programs: readonly string[];
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
