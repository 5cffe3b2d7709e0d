import { dirname, isAbsolute, join } from '../text/paths';
import type { Span } from '../text/span';
import { parseConfig } from '../yaml/file';
import { dataOf, fromElsewhere } from './elsewhere';
import type { Project } from './project';
import type { Argument, ProgramHome, Value } from './value';
import { scalar } from './values';

/** Modules that import each other, behind each other. */
const DEEPEST = 8;

/** Functions that return what a config file holds. */
const LOADERS =
  /^(?:yaml\.(?:safe_load|load|full_load)|json\.loads?|toml\.load|tomllib\.load|tomli\.load|omegaconf\.OmegaConf\.load)$/;

const ASKS = /^(?:os\.path)?\.(exists|isdir|isfile|isabs|is_dir|is_file|is_absolute)$/;

/** What a program takes from other files of its project: names of modules, and configs. */
export class Modules {
  private readonly homes = new Map<string, ProgramHome | null>();
  private readonly brought = new Map<string, Value | null>();
  private depth = 0;

  constructor(
    private readonly project: Project,
    /** Reads another program of the project. */
    private readonly program: (text: string, path: string) => ProgramHome,
  ) {}

  /** The value of a full name that a module of the project defines; null: none does. */
  imported(qualified: string, from: string, span: Span): Value | null {
    const cut = qualified.lastIndexOf('.');
    const module = qualified.slice(0, Math.max(cut, 0));
    if (module === '' || this.depth >= DEEPEST) return null;
    this.depth++;
    try {
      const home = this.homeOf(this.project.moduleFile(module, from));
      const value = home?.exported(qualified.slice(cut + 1));
      return home && value ? fromElsewhere(value, span, home) : null;
    } finally {
      this.depth--;
    }
  }

  /** A name that a module gets by `from … import *`. */
  starred(stars: readonly string[], name: string, from: string, span: Span): Value | null {
    const key = `${from}\n${name}`;
    const known = this.brought.get(key);
    if (known !== undefined) return known && { ...known, span };
    // Until it is known: modules may import each other.
    this.brought.set(key, null);
    const [value = null] = stars.flatMap(star => this.imported(`${star}.${name}`, from, span) ?? []);
    this.brought.set(key, value);
    return value;
  }

  /** What a question about a path returns: `os.path.isdir(path)`, `path.exists()`; null: it is another call, or unknown. */
  asked(name: string, on: Value | null, args: readonly Argument[], span: Span): Value | null {
    const [, word = ''] = ASKS.exec(name) ?? [];
    const path = on?.kind === 'scalar' ? on : args[0]?.value;
    if (word === '' || path?.kind !== 'scalar' || typeof path.value !== 'string') return null;
    const answer = word.includes('abs') ? this.project.isWhole(path.value) : this.project.exists(path.value);
    return answer === null ? null : scalar(span, answer);
  }

  /** What a call that loads a config returns: `yaml.safe_load(open(path))`. */
  loaded(name: string, args: readonly Argument[], span: Span): Value | null {
    const [first] = args;
    if (!first || !LOADERS.test(name)) return null;
    const [text, path] = [textIn(first.value), pathOf(first.value)];
    if (text !== null) return dataOf(parseConfig('', text).documents[0]?.root, span);
    const file = path === null ? this.project.handed : this.project.dataFile(path);
    const content = file === null ? null : this.project.text(file);
    return file !== null && content !== null
      ? dataOf(parseConfig(file, content).documents[0]?.root, span, file)
      : null;
  }

  /** A config with the files that its list of defaults names, relative to a program. */
  composed(file: string, from: string, span: Span): Value | null {
    const path = isAbsolute(file) ? this.project.tailOf(file) : join(dirname(from), file);
    const root = path === null ? null : this.project.composed(path);
    return root && dataOf(root, span);
  }

  private homeOf(path: string | null): ProgramHome | null {
    if (path === null) return null;
    const known = this.homes.get(path);
    if (known !== undefined) return known;
    const text = this.project.text(path);
    const home = text === null ? null : this.program(text, path);
    this.homes.set(path, home);
    return home;
  }
}

/** A config that stands in the program itself, which no path looks like. */
const textIn = (value: Value): string | null =>
  value.kind === 'scalar' && typeof value.value === 'string' && /\n|^\s*\{/.test(value.value)
    ? value.value
    : null;

/** The file of `open(path)` or of a path itself. */
function pathOf(value: Value): string | null {
  if (value.kind === 'scalar') return typeof value.value === 'string' ? value.value : null;
  const first = value.kind === 'call' && value.call.name === 'open' ? value.call.args[0] : undefined;
  return first ? pathOf(first.value) : null;
}
