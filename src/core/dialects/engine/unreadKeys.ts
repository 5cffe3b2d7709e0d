import type { QuantityName } from '../../spec/values';
import { parsePath } from '../../yaml/path';
import type { DialectLookup, NamedKeys } from '../dialect';
import { keysReadByRules, keyTables } from './keyTable';
import type { KeyTable } from './keyTable';
import type { Hit } from './layers';
import type { TracedRun } from './trace';

/** The keys of a run's files that its dialect does not have, by the quantity that each would be in most people's configs. */
export class UnreadKeys {
  /** Keys of a reader that tells nothing by names. */
  static readonly none = new UnreadKeys(
    null,
    () => undefined,
    () => null,
  );

  readonly hits: readonly Hit[];
  private asked: KeyTable | null = null;
  private named: ReturnType<NamedKeys> | null = null;

  constructor(
    run: TracedRun | null,
    lookup: DialectLookup,
    private readonly byTable: () => TracedRun | null,
  ) {
    const table = run && keyTables.of(run.dialect, lookup);
    this.hits = run && table ? run.layers.leaves().filter(({ key }) => !table.has(parsePath(key))) : [];
  }

  /** A key about a quantity that says something else than what is assumed, and that no rule asks for. */
  about(name: QuantityName, assumed: unknown, named: NamedKeys): Hit | null {
    if (this.hits.length === 0) return null;
    this.named ??= named(this.hits);
    return this.named(name, assumed).find(hit => !this.isAsked(hit)) ?? null;
  }

  private isAsked({ key }: Hit): boolean {
    const run = this.asked === null ? this.byTable() : null;
    if (run) this.asked = keysReadByRules(run);
    return this.asked?.has(parsePath(key)) ?? false;
  }
}
