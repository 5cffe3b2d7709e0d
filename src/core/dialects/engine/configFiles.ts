import type { Files } from '../../text/files';
import { parseConfig } from '../../yaml/file';
import type { YamlFile } from '../../yaml/node';
import type { DialectProgram, Layer, NearbyFiles, OwnProgram } from './compose';
import type { Signal } from '../../signal';

/** Reads the program that a command starts. */
type OwnProgramReader = (
  ...args: [...Parameters<NonNullable<NearbyFiles['ownProgram']>>, ConfigFiles]
) => Promise<OwnProgram | null>;

/** Readers of Python, which are only loaded for a file that needs them. */
interface PythonReaders {
  readonly ownProgram?: OwnProgramReader;
  /** A program in a text of another file. */
  readonly programWithin?: NonNullable<NearbyFiles['programWithin']>;
  /** A config that is Python code. */
  readonly config?: (path: string, text: string) => Promise<YamlFile>;
}

/** What Git leaves in place of a file that it did not fetch (git-lfs docs/spec.md). */
const LFS = 'version https://git-lfs.github.com/spec/';

/** File access for one reading: reads and parses each file once, and records all requested files. */
export class ConfigFiles implements NearbyFiles {
  private readonly requested = new Map<string, Promise<YamlFile | null>>();
  private readonly texts = new Map<string, Promise<string | null>>();
  private readonly folders = new Set<string>();
  private readonly writers: ((name: string) => Layer | null)[] = [];

  constructor(
    private readonly files: Files,
    private readonly signal: Signal,
    opened: { readonly path: string; readonly yaml: YamlFile },
    readonly programs: readonly DialectProgram[],
    readonly dialectOf: NonNullable<NearbyFiles['dialectOf']> = () => null,
    private readonly python: PythonReaders = {},
  ) {
    this.requested.set(opened.path, Promise.resolve(opened.yaml));
  }

  ownProgram(...[script, near, settings, started]: Parameters<NonNullable<NearbyFiles['ownProgram']>>) {
    const read = this.signal.aborted ? undefined : this.python.ownProgram;
    return read ? read(script, near, settings, started, this) : Promise.resolve(null);
  }

  programWithin(...asked: Parameters<NonNullable<NearbyFiles['programWithin']>>) {
    return this.python.programWithin?.(...asked) ?? Promise.resolve([]);
  }

  read(path: string): Promise<YamlFile | null> {
    const known = this.requested.get(path);
    if (known) return known;
    const fresh = this.load(path);
    this.requested.set(path, fresh);
    return fresh;
  }

  /** The text of a file that is no config; null: there is none. */
  async text(path: string): Promise<string | null> {
    const known = this.texts.get(path);
    if (known) return known;
    const fresh = this.files.read(path).then(answer => ('text' in answer ? answer.text : null));
    this.texts.set(path, fresh);
    return this.signal.aborted ? null : fresh;
  }

  async list(folder: string): Promise<readonly string[]> {
    this.folders.add(`${folder}/`);
    return this.signal.aborted ? [] : this.files.list(folder);
  }

  keepWritten(find: (name: string) => Layer | null): void {
    this.writers.push(find);
  }

  written(name: string): Layer | null {
    return this.writers.map(find => find(name)).find(layer => layer !== null) ?? null;
  }

  /** Every requested file, including missing ones; a listed folder ends with a slash. */
  get dependencies(): readonly string[] {
    return [...this.requested.keys(), ...this.texts.keys(), ...this.folders].sort();
  }

  private async load(path: string): Promise<YamlFile | null> {
    if (this.signal.aborted) return null;
    const answer = await this.files.read(path);
    if (!('text' in answer) || answer.text.startsWith(LFS)) return null;
    const { config } = this.python;
    return path.endsWith('.py') && config ? config(path, answer.text) : parseConfig(path, answer.text);
  }
}
