import { detailNames, quantityNames, rareDetails } from '../../spec/names';
import type { Quantities, RunSpec } from '../../spec/runSpec';
import type { DetailName } from '../../spec/values';
import type { Dialect, DialectLookup } from '../dialect';
import { LayeredRun } from './layeredRun';
import type { RunFiles } from './layeredRun';
import type { Note } from './note';

/** Details of serving engines: left out of runs that the framework's own code may also run. */
const engineDetails: ReadonlySet<DetailName> = new Set([
  'kvCacheDtype',
  'memoryShare',
  'maxSequences',
  'prefillTokens',
  'cacheTokens',
  'enforceEager',
  'servedExtras',
]);

/**
 * Reads a run from its files; depends on the files alone. `notes` collects notes for rules. `before`: the reader of
 * the same files before some keys were set; answers that do not depend on these keys are reused without notes.
 */
export function buildRun(
  name: string,
  dialect: Dialect,
  files: RunFiles,
  lookup: DialectLookup,
  notes: Note[] = [],
  before: LayeredRun | null = null,
): RunSpec {
  const run = new LayeredRun(dialect, files, lookup, notes, undefined, before);
  const quantities = Object.fromEntries(quantityNames.map(quantity => [quantity, run.get(quantity)]));
  const knownDetails = detailNames.filter(detail => run.knowsDetail(detail));
  const answers = knownDetails.map(detail => [detail, run.detail(detail)] as const);
  const details = Object.fromEntries(
    answers.filter(
      ([detail, { value, origin }]) =>
        value !== null ||
        !(
          rareDetails.has(detail) ||
          (dialect.engines !== undefined && engineDetails.has(detail)) ||
          (origin.kind === 'default' && detail === 'sequencesPerSample')
        ),
    ),
  );
  const ownModel = run.ownModel();
  const network = dialect.network?.(run);
  const packs = run.packs.map(({ pack }) => pack.id);
  return {
    name,
    dialect: dialect.id,
    role: dialect.role,
    framework: run.framework,
    ...(packs.length > 0 && { packs }),
    quantities: quantities as unknown as Quantities,
    details,
    ...(ownModel && { ownModel }),
    ...(network && { network }),
    ...files,
  };
}
