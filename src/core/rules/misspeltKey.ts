import { definitionOf } from '../dialects/defined/definition';
import { dialectOfRun, findDialect } from '../dialects/find';
import { keysReadByRules, keyTables } from '../dialects/engine/keyTable';
import type { KeyTable } from '../dialects/engine/keyTable';
import { isOwn } from '../dialects/engine/sources';
import { dialects } from '../dialects/registry';
import { readerOf } from '../dialects/write';
import { shipperOf } from '../spec/runSpec';
import type { RunSpec } from '../spec/runSpec';
import { slipOf, wordsOf } from '../text/editDistance';
import type { MapNode, YamlNode } from '../yaml/node';
import { formatPath, parsePath, resolve } from '../yaml/path';
import type { YamlPath } from '../yaml/path';
import { hasOwnPlugins } from './plugins';
import type { Report, Rule } from './rule';
import type { Say } from '../text/say';

/** A parser may return other text as the key of a broken line. */
const NAME = /^[\w.-]+$/;

/** Limit for unknown keys to compare with known ones; hand-written configs have a few dozen. */
const MOST_COMPARED = 500;

/** Deeper sections are user-defined. */
const DEEPEST = 6;

export const misspeltKey: Rule = {
  id: 'misspelt-key',
  severity: 'warning',
  summary: 'A key looks like a misspelled key of its config format.',
  sources: [
    'axolotl 0.18 utils/schemas: pydantic ignores unknown keys without a word',
    'the keys of each config format, as its dialect file has them',
  ],
  check(context) {
    const { run } = context;
    if (definitionOf(run)?.file === '' || hasOwnPlugins(context)) return [];
    const finder = new SlipFinder(run, context.say);
    for (const source of run.sources.filter(isOwn)) {
      const { yaml, document, base, via } = source;
      if (shipperOf(source) !== null || base.length > 0) continue;
      finder.look(yaml.documents[document]?.root ?? null, 'mount' in via ? parsePath(via.mount) : []);
    }
    return finder.reports;
  },
};

/** Finds unknown keys that are similar to known ones. Only then checks whether the key is known elsewhere. */
class SlipFinder {
  readonly reports: Report[] = [];
  private readonly table: KeyTable;
  private readKeys: KeyTable | null = null;
  private compared = 0;

  constructor(
    private readonly run: RunSpec,
    private readonly say: Say,
  ) {
    this.table = keyTables.of(dialectOfRun(run), findDialect);
  }

  look(node: YamlNode | null, path: YamlPath): void {
    const at = node && resolve(node);
    if (!at || path.length > DEEPEST) return;
    if (at.kind === 'map') this.lookAt(at, path);
    if (at.kind === 'sequence') for (const [i, item] of at.items.entries()) this.look(item, [...path, i]);
  }

  private lookAt(map: MapNode, path: YamlPath): void {
    const known = this.table.below(path);
    const present = new Set(map.entries.map(({ key }) => key));
    for (const { key, value, merged } of map.entries) {
      if (merged || !NAME.test(key)) continue;
      this.look(value, [...path, key]);
      const meant = known.length === 0 || this.isKnown(key, path, known) ? null : this.slip(key, known);
      if (meant === null || present.has(meant) || this.isKnownElsewhere(key, path)) continue;
      this.reports.push({
        at: [formatPath([...path, key])],
        message: this.say('Unknown key `{0}`. Did you mean `{1}`?', key, meant),
        rename: meant,
      });
    }
  }

  /** A key may also be the dotted path of a key in sections, as arguments of a program have it. */
  private isKnown(key: string, path: YamlPath, known: readonly string[]): boolean {
    return known.includes(key) || (key.includes('.') && this.table.has([...path, ...key.split('.')]));
  }

  private slip(key: string, known: readonly string[]): string | null {
    return this.compared++ < MOST_COMPARED ? slipOf(key, known, vocabulary.isWord) : null;
  }

  /** True if a rule asks for the key, or another format has it: the spelling is intentional. */
  private isKnownElsewhere(key: string, path: YamlPath): boolean {
    if (vocabulary.isKey(key)) return true;
    this.readKeys ??= keysReadByRules(readerOf(this.run));
    return this.readKeys.below(path).includes(key);
  }
}

/** The keys of all config formats; collected on first use. */
class Vocabulary {
  private gathered: { readonly names: ReadonlySet<string>; readonly words: ReadonlySet<string> } | null =
    null;

  isKey(name: string): boolean {
    return this.all().names.has(name);
  }

  readonly isWord = (word: string): boolean => this.all().words.has(word);

  private all(): NonNullable<Vocabulary['gathered']> {
    if (this.gathered) return this.gathered;
    const names = new Set(dialects.flatMap(dialect => [...keyTables.of(dialect, findDialect).names()]));
    this.gathered = { names, words: new Set([...names].flatMap(wordsOf)) };
    return this.gathered;
  }
}

const vocabulary = new Vocabulary();
