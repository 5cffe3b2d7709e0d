import type { Quantity, Unit } from '../../spec/quantity';
import { quantityUnits } from '../../spec/names';
import type { Framework, Given, Launched, MissingFile, SourceFile, StatedRelease } from '../../spec/runSpec';
import type { OwnModel } from '../../models/ownModel';
import type { DetailName, DetailValues, QuantityName, QuantityValues } from '../../spec/values';
import { compareReleases } from '../../spec/version';
import { answer, gapAt, gapOfBase, isAssumed, pathWords, unsaid, withUnit, yields } from './answers';
import { commonRules, isPerDevice, launchedQuantity, shareOfGlobal } from './common';
import type { Default, Dialect, DialectLookup, PackRow, QuantityTable, Row, Rule } from '../dialect';
import { frameworkOf } from './evidence';
import { KeyReader, Unreadable } from './keyReader';
import { Layers } from './layers';
import type { Hit } from './layers';
import type { Note } from './note';
import { shownPacks } from './packs';
import type { ShownPack } from './packs';
import type { RunReader } from './runReader';
import { isOwn, originOf } from './sources';
import { Earlier, Traces } from './trace';
import type { TracedRun } from './trace';
import { UnreadKeys } from './unreadKeys';

/** The files that a run is read from. */
export interface RunFiles {
  readonly sources: readonly SourceFile[];
  readonly missingFiles: readonly MissingFile[];
  readonly given: Given;
  readonly launched?: Launched;
  readonly installs?: readonly StatedRelease[];
  readonly ownSizes?: string;
  /** The definition of a dialect that is not built in; only used by the dialects. */
  readonly definition?: { readonly file: string };
}

/** A run's files as seen by its dialect's rules. Caches each answer. */
export class LayeredRun extends KeyReader implements TracedRun {
  readonly framework: Framework;
  readonly pathWords: readonly string[];
  /** The packs of the config's project. */
  readonly packs: readonly ShownPack[];
  private readonly answers = new Map<string, Quantity<unknown> | 'asked'>();
  private readonly parts = new Map<string, LayeredRun | null>();
  /** The inputs of each answer; null if not traced. */
  traces: Traces | null = null;
  private readonly earlier: Earlier | null;
  private roles: QuantityTable | null = null;
  /** The keys that the rule in progress asks for. */
  private asked: Set<string> | null = null;
  private unread: UnreadKeys | null = null;

  /**
   * `before`: the reader of the same files before some of their keys were set. `own` are this reader's sources: the
   * config with its overlays, or one part of it. `notes` collects notes for rules.
   */
  constructor(
    readonly dialect: Dialect,
    private readonly files: RunFiles,
    private readonly lookup: DialectLookup,
    private readonly collected: Note[],
    readonly own: readonly SourceFile[] = files.sources.filter(isOwn),
    before: LayeredRun | null = null,
  ) {
    super(new Layers(own, dialect.roots, dialect.loader), dialect.loader, collected);
    this.framework = frameworkOf(dialect, key => this.layers.find(key), this, files);
    this.packs = shownPacks(dialect, this.layers);
    this.pathWords = pathWords(files.sources[0]?.path ?? '', files.launched?.program ?? '');
    this.earlier = before && Earlier.of(this, before, before.givenOtherThan(this));
  }

  /** Starts tracing the inputs of answers. */
  traced(): this {
    this.traces = new Traces();
    return this;
  }

  /** The given values that differ between the two. */
  givenOtherThan(other: LayeredRun): ReadonlySet<string> {
    const [one, two]: Readonly<Record<string, unknown>>[] = [
      this.files.given.values,
      other.files.given.values,
    ];
    const names = Object.keys({ ...one, ...two });
    return new Set(names.filter(name => one?.[name] !== two?.[name]));
  }

  protected override find(key: string): Hit | null {
    this.traces?.key(key);
    this.asked?.add(key);
    return super.find(key);
  }

  readonly sourcesIn = (file: string) => this.files.sources.filter(({ path }) => path === file);

  override keys(): readonly string[] {
    this.traces?.widen();
    return super.keys();
  }

  leaves(): readonly Hit[] {
    this.traces?.widen();
    return this.layers.leaves();
  }

  unreadLeaves(): readonly Hit[] {
    this.traces?.widen();
    return this.unreadKeys().hits;
  }

  get<Name extends QuantityName>(name: Name): Quantity<QuantityValues[Name]> {
    return this.once(
      name,
      () => withUnit(this.quantity(name), quantityUnits[name]),
      before => before.get(name),
    );
  }

  detail<Name extends DetailName>(name: Name): Quantity<DetailValues[Name]> {
    const rule = this.dialect.details?.[name];
    return this.once(
      name,
      () => this.detailOfPacks(name) ?? (rule ? this.ruled(() => rule(this)) : this.wordless()),
      before => before.detail(name),
    );
  }

  /** True if the dialect, or a pack of it, has a rule for a detail. */
  knowsDetail(name: DetailName): boolean {
    return this.dialect.details?.[name] !== undefined || this.packs.some(({ pack }) => pack.details?.[name]);
  }

  /** The model that the config's own keys describe; null if one of them is unknown. */
  ownModel(): OwnModel | null {
    try {
      return this.dialect.ownModel?.(this) ?? null;
    } catch (error) {
      if (error instanceof Unreadable) return null;
      throw error;
    }
  }

  /** True if a key names an existing part. */
  namesPart(key: string): boolean {
    this.traces?.widen();
    return this.sourceNamed(key) !== undefined;
  }

  part(key: string): LayeredRun | null {
    this.traces?.widen();
    const known = this.parts.get(key);
    if (known !== undefined) return known;
    const missing = this.files.missingFiles.find(file => file.by === this.dialect.id && file.key === key);
    if (missing) throw new Unreadable(missing.why);
    const source = this.sourceNamed(key);
    const dialect = source && this.lookup(source.dialect);
    const part = dialect ? new LayeredRun(dialect, this.files, this.lookup, this.collected, [source]) : null;
    this.parts.set(key, part);
    return part;
  }

  atLeast(release: string, library: string = this.framework.name): boolean {
    const version =
      library === this.framework.name ? this.framework.version : this.framework.libraries?.[library];
    return compareReleases(version ?? '0', release) >= 0;
  }

  at<T>(keys: string | readonly string[], value: T | null, note?: string): Quantity<T> {
    const names = typeof keys === 'string' ? [keys] : keys;
    const statedKey = names.find(key => this.has(key)) ?? names.find(key => this.isNull(key));
    const hit = statedKey === undefined ? null : this.find(statedKey);
    if (hit) return answer(value, originOf(hit, this.files.sources[0]?.path), note);
    return this.unknown(`It would be read from ${names.join(' or ')}, and no such key is there.`);
  }

  byDefault<T>(value: T | null, source: string, note?: string): Quantity<T> {
    const { name, version } = this.framework;
    return answer(value, { kind: 'default', framework: name, version: version ?? '', source }, note);
  }

  none(source: string): Quantity<never> {
    return this.byDefault<never>(null, source);
  }

  derived<T>(value: T | null, from: readonly string[], formula: string, note?: string): Quantity<T> {
    return answer(value, { kind: 'derived', from, formula }, note);
  }

  byCode<T>(value: T | null, source: string, note?: string): Quantity<T> {
    return answer(value, { kind: 'code', source }, note);
  }

  unknown(why: string): Quantity<never> {
    return { value: null, origin: { kind: 'unresolved', why } };
  }

  inUnit<T>(unit: Unit, quantity: Quantity<T>): Quantity<T> {
    return { ...quantity, unit };
  }

  private sourceNamed(key: string): SourceFile | undefined {
    return this.files.sources.find(
      ({ via }) => 'key' in via && via.by === this.dialect.id && via.key === key,
    );
  }

  private once<T>(
    name: string,
    ask: () => Quantity<T>,
    askEarlier: (before: RunReader) => Quantity<T>,
  ): Quantity<T> {
    const known = this.answers.get(name);
    if (known === 'asked') {
      this.traces?.widen();
      throw new Unreadable(`${name} would follow from itself.`);
    }
    if (known) {
      this.traces?.reuse(name);
      return known as Quantity<T>;
    }
    this.answers.set(name, 'asked');
    const fresh = this.fromEarlier(name, askEarlier) ?? this.traces?.during(name, ask) ?? ask();
    this.answers.set(name, fresh);
    return fresh;
  }

  /** The answer before some keys were set, if it depends on none of them. */
  private fromEarlier<T>(name: string, ask: (before: RunReader) => Quantity<T>): Quantity<T> | null {
    const { earlier } = this;
    if (earlier === null) return null;
    const answer = ask(earlier.before);
    return earlier.holds(name) ? answer : null;
  }

  private quantity<Name extends QuantityName>(name: Name): Quantity<QuantityValues[Name]> {
    const { values, setting } = this.files.given;
    const given = values[name];
    if (given !== undefined) return answer<QuantityValues[Name]>(given, { kind: 'user', setting });
    const launched = launchedQuantity(this, this.files.launched ?? {}, name);
    if (launched) return launched;
    const own = this.dialect.quantities[name];
    const common = commonRules[name];
    const resolved = this.quantityOfPacks(name) ?? this.quantityOfDialect(name);
    return resolved ?? (common ? this.ruled(() => common(this)) : this.wordless(own));
  }

  private quantityOfDialect<Name extends QuantityName>(name: Name): Quantity<QuantityValues[Name]> | null {
    const own = this.dialect.quantities[name];
    const [resolved, asked] = this.asking(() => (own === undefined ? null : this.answerOf(name, own)));
    const found = this.dialect.byRole && yields(resolved) ? this.byRole(name, resolved) : resolved;
    const isStated = (key: string): boolean => this.layers.find(key) !== null;
    if (found === null || !isAssumed(found, isStated)) return found;
    const isComputed = found.origin.kind !== 'default' && asked.some(isStated);
    const base = isComputed ? undefined : gapOfBase(this.files.missingFiles, found.origin, asked);
    return this.inGap(base) ?? this.doubtedByName(name, found) ?? found;
  }

  /** What a rule answers, and the keys that it asks for. */
  private asking<T>(rule: () => T): readonly [answer: T, asked: readonly string[]] {
    const outer = this.asked;
    const own = (this.asked = new Set<string>());
    const answered = rule();
    this.asked = outer;
    for (const key of own) outer?.add(key);
    return [answered, [...own]];
  }

  /** Unknown where a key that the dialect does not read has this meaning by its name: a default would contradict it. */
  private doubtedByName(name: QuantityName, { value }: Quantity<unknown>): Quantity<never> | null {
    const { named } = this.dialect;
    if (!named) return null;
    const hit = this.unreadKeys().about(name, value, named);
    if (hit === null) return null;
    this.traces?.widen();
    const why = `${this.dialect.title} does not read ${hit.key}, which may say otherwise.`;
    return { value: null, origin: { kind: 'unresolved', why, key: hit.at } };
  }

  private unreadKeys(): UnreadKeys {
    this.unread ??= new UnreadKeys(this, this.lookup, () => this.byTable());
    return this.unread;
  }

  /** The same files as the dialect's own tables and rules read them, to see which keys they ask for. */
  private byTable(): LayeredRun {
    const run = new LayeredRun(this.dialect, this.files, this.lookup, [], this.own).traced();
    run.unread = UnreadKeys.none;
    return run;
  }

  private answerOf<T>(name: QuantityName, row: Row<T> | Rule<T>): Quantity<T> | null {
    return typeof row === 'function' ? this.ruled(() => row(this)) : this.row(name, row);
  }

  /** What a key says that only its name and its place tell: it beats a default, and leaves none where it is not understood. */
  private byRole<Name extends QuantityName>(
    name: Name,
    resolved: Quantity<QuantityValues[Name]> | null,
  ): Quantity<QuantityValues[Name]> | null {
    this.roles ??= this.dialect.byRole?.(this) ?? {};
    const row = this.roles[name];
    // Not traced: a key that only its name tells is not a key that the format knows.
    const traces = this.traces;
    traces?.widen();
    this.traces = null;
    const found = row && this.answerOf<QuantityValues[Name]>(name, row);
    this.traces = traces;
    return found && (found.value !== null || resolved?.origin.kind !== 'unresolved') ? found : resolved;
  }

  /** The answer of the project's packs, which win over the general dialect. */
  private quantityOfPacks<Name extends QuantityName>(name: Name): Quantity<QuantityValues[Name]> | null {
    for (const { pack, shownBy } of this.packs) {
      const own = pack.quantities?.[name];
      const resolved =
        typeof own === 'function'
          ? this.ruled(() => own(this))
          : own && this.ruled(() => this.fromKeys(name, own));
      if (resolved) return resolved;
      if (name === 'task' && pack.task !== undefined && shownBy !== null) {
        const { key, name: className } = shownBy;
        return this.derived(pack.task as QuantityValues[Name] & string, [key], `${key} is ${className}`);
      }
    }
    return null;
  }

  private detailOfPacks<Name extends DetailName>(name: Name): Quantity<DetailValues[Name]> | null {
    for (const { pack } of this.packs) {
      const rule = pack.details?.[name];
      const resolved = rule ? this.ruled(() => rule(this)) : null;
      if (resolved) return resolved;
    }
    return null;
  }

  /** The row of a pack whose key states a quantity. */
  packRow(name: QuantityName): PackRow<unknown> | null {
    for (const { pack } of this.packs) {
      const row = pack.quantities?.[name] as PackRow<unknown> | undefined;
      if (row && typeof row !== 'function' && row.keys.some(key => this.has(key))) return row;
    }
    return null;
  }

  private ruled<T>(rule: () => T): T | Quantity<never> {
    try {
      return rule();
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      const { message: why, key } = error;
      return { value: null, origin: { kind: 'unresolved', why, ...(key && { key }) } };
    }
  }

  /** A row's stated or default value; null if there is none. */
  private row<T>(name: QuantityName, row: Row<T>): Quantity<T> | null {
    return this.ruled(() => this.fromKeys(name, row) ?? this.inMissingFile(row.keys) ?? this.absent(row));
  }

  /** The value that a key of a row states. */
  private fromKeys<T>(name: QuantityName, row: PackRow<T> & Pick<Row<T>, 'note'>): Quantity<T> | null {
    for (const key of row.keys) {
      const stated = this.stated(key, row.read);
      if (stated === null) continue;
      const origin = originOf(stated.hit, this.files.sources[0]?.path);
      const here = withUnit(answer(stated.value, origin, row.note), row.unit ?? null);
      return row.scope === 'global' && isPerDevice(name) ? shareOfGlobal(this, here) : here;
    }
    return null;
  }

  leftOpen(keys: readonly string[]): Quantity<never> | null {
    return this.inMissingFile(keys, true);
  }

  /** Unknown if a missing file might state one of the keys. */
  private inMissingFile(keys: readonly string[], isOpen = false): Quantity<never> | null {
    return this.inGap(gapAt(this.files.missingFiles, keys, isOpen));
  }

  private inGap(gap: MissingFile | undefined): Quantity<never> | null {
    return gap ? this.unknown(gap.why) : null;
  }

  private absent<T>({ keys, absent }: Row<T>): Quantity<T> | null {
    if (typeof absent === 'function') return absent(this);
    const entries: readonly Default<T>[] = absent === undefined ? [] : [absent].flat();
    const now = entries.find(({ since, library }) => since === undefined || this.atLeast(since, library));
    const empty = now && now.value !== null ? this.leftEmpty(keys) : null;
    if (empty !== null) {
      return this.unknown(`${empty} is null: what the program takes then is not in the files.`);
    }
    return now ? this.byDefault(now.value, now.source) : null;
  }

  private wordless(row?: object): Quantity<never> {
    const key = row && 'keys' in row ? (row.keys as readonly string[])[0] : undefined;
    return this.unknown(unsaid(key, this.dialect.title, this.files.definition?.file === ''));
  }
}
