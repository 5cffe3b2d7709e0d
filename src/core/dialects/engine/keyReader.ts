import { phrase } from '../../text/say';
import type { Location } from '../../spec/quantity';
import type { Layers } from './layers';
import type { Hit } from './layers';
import { addNote } from './note';
import type { Note } from './note';
import { count, flag, word, words } from './readers';
import type { ValueReader } from './readers';
import { loaded, plainOf } from '../../yaml/scalars';
import type { Loader, Plain } from '../../yaml/scalars';

/** What is there instead of one value, for a sentence. */
const KINDS = { map: 'a mapping', sequence: 'a list' } as const;

/** Aborts a rule whose answer depends on a value that the files do not determine. */
export class Unreadable extends Error {
  constructor(
    message: string,
    /** The key that leaves it open. */
    readonly key: Location | null = null,
  ) {
    super(message);
  }
}

/** Reads the keys of a run's files as the framework's loader would. */
export class KeyReader {
  constructor(
    readonly layers: Layers,
    private readonly loader: Loader,
    private readonly notes: Note[],
  ) {}

  /** The place of a key, or null. */
  protected find(key: string): Hit | null {
    return this.layers.find(key);
  }

  has(key: string): boolean {
    const hit = this.find(key);
    return hit !== null && !this.holdsNull(hit);
  }

  isNull(key: string): boolean {
    const hit = this.find(key);
    return hit !== null && this.holdsNull(hit);
  }

  leftEmpty(keys: readonly string[]): string | null {
    return this.loader === 'omegaconf' ? (keys.find(key => this.isNull(key)) ?? null) : null;
  }

  keys(): readonly string[] {
    return this.layers.topKeys();
  }

  tag(key: string): string | null {
    const node = this.find(key)?.node;
    return node?.kind === 'map' ? node.tag : null;
  }

  value(key: string): Plain {
    const hit = this.find(key);
    return hit === null ? null : this.known(hit);
  }

  read<T>(key: string, reader: ValueReader<T>): T | null {
    return this.stated(key, reader)?.value ?? null;
  }

  /** The value of a key with its place; null if it is absent, null or another kind of value. */
  protected stated<T>(key: string, reader: ValueReader<T>): { readonly hit: Hit; readonly value: T } | null {
    const hit = this.find(key);
    const plain = hit === null ? null : this.known(hit);
    const result = plain === null ? null : reader(plain);
    if (hit === null || result === null) return null;
    if ('ok' in result) return { hit, value: result.ok };
    if ('left' in result) throw new Unreadable(`${key} ${result.left}.`, hit.at);
    const written = hit.node.kind === 'scalar' ? hit.node.source : KINDS[hit.node.kind];
    const message = `${key}: ${written} ${result.unfit}.`;
    addNote(this.notes, { code: 'unreadable-value', at: hit.at, message });
    throw new Unreadable(message);
  }

  readonly word = (key: string): string | null => this.read(key, word);
  readonly flag = (key: string): boolean | null => this.read(key, flag);
  readonly count = (key: string): number | null => this.read(key, count);
  readonly words = (key: string): readonly string[] | null => this.read(key, words);

  unlessOpen<T, Open>(read: () => T, open: Open): T | Open {
    try {
      return read();
    } catch (error) {
      if (error instanceof Unreadable) return open;
      throw error;
    }
  }

  private known(hit: Hit): Plain {
    const opaque = opaqueText(hit);
    if (opaque !== null) throw new Unreadable(opaque);
    return plainOf(hit.node, this.loader);
  }

  private holdsNull(hit: Hit): boolean {
    return hit.node.kind === 'scalar' && opaqueText(hit) === null && loaded(hit.node, this.loader) === null;
  }
}

/** Why a value is unknown, as a sentence; null for a plain value. */
function opaqueText({ key, node }: Hit): string | null {
  if (node.kind !== 'scalar' || node.opaque === null) return null;
  if (node.opaque === 'tag') return phrase`${key} has a tag that only its program understands.`;
  const text = node.source.length > 40 ? `${node.source.slice(0, 40)}…` : node.source;
  return phrase`${key} is ${text}, which is filled in only when the run starts.`;
}
