import type { Layers } from './layers';
import type { Hit } from './layers';
import type { Note } from './note';
import { count, flag, word, words } from './readers';
import type { ValueReader } from './readers';
import { plainOf } from './scalars';
import type { Loader, Plain } from './scalars';

/** Ends a rule whose answer hangs on a value that nobody can know from the files. */
export class Unreadable extends Error {}

/** Reads the keys of a run's files as the framework's loader would. */
export class KeyReader {
  constructor(
    readonly layers: Layers,
    private readonly loader: Loader,
    private readonly notes: Note[],
  ) {}

  has(key: string): boolean {
    const hit = this.layers.find(key);
    return hit !== null && (opaqueText(hit) !== null || this.plain(hit) !== null);
  }

  isNull(key: string): boolean {
    const hit = this.layers.find(key);
    return hit !== null && opaqueText(hit) === null && this.plain(hit) === null;
  }

  value(key: string): Plain {
    const hit = this.layers.find(key);
    return hit === null ? null : this.known(hit);
  }

  read<T>(key: string, reader: ValueReader<T>): T | null {
    const hit = this.layers.find(key);
    const value = hit === null ? null : this.known(hit);
    const result = value === null ? null : reader(value);
    if (hit === null || result === null) return null;
    if ('ok' in result) return result.ok;
    if ('left' in result) throw new Unreadable(`${key} ${result.left}.`);
    const written = hit.node.kind === 'scalar' ? hit.node.source : `a ${hit.node.kind}`;
    const message = `${key}: ${written} ${result.unfit}.`;
    this.note({ code: 'unreadable-value', at: hit.at, message });
    throw new Unreadable(message);
  }

  readonly word = (key: string): string | null => this.read(key, word);
  readonly flag = (key: string): boolean | null => this.read(key, flag);
  readonly count = (key: string): number | null => this.read(key, count);
  readonly words = (key: string): readonly string[] | null => this.read(key, words);

  private known(hit: Hit): Plain {
    const opaque = opaqueText(hit);
    if (opaque === null) return this.plain(hit);
    throw new Unreadable(`${hit.key} ${opaque}.`);
  }

  private plain(hit: Hit): Plain {
    return plainOf(hit.node, this.loader);
  }

  private note(note: Note): void {
    const same = (other: Note): boolean => other.at.file === note.at.file && other.at.path === note.at.path;
    if (!this.notes.some(same)) this.notes.push(note);
  }
}

/** Why a value cannot be known, as the end of a sentence; null for a value that stands there. */
function opaqueText({ node }: Hit): string | null {
  if (node.kind !== 'scalar' || node.opaque === null) return null;
  if (node.opaque === 'tag') return 'has a tag that only its program understands';
  const text = node.source.length > 40 ? `${node.source.slice(0, 40)}…` : node.source;
  return `is ${text}, which is filled in only when the run starts`;
}
