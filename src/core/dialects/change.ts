import { ownSizesOf } from './generic/ownSizes';
import { buildRun } from './engine/build';
import { dialectOfRun, findDialect } from './find';
import { placeOf, readerOf, stepsFor } from './write';
import type { Step } from './write';
import type { Change } from '../spec/change';
import { graft } from '../yaml/graft';
import type { YamlFile } from '../yaml/node';
import type { Given, RunSpec, SourceFile } from '../spec/runSpec';
import type { QuantityValues } from '../spec/values';

/**
 * The run after the changes: its dialect reads the trees again with the changed keys, so that derived values follow
 * as in the framework. A quantity without a key counts as given by the user.
 */
export function changed(run: RunSpec, changes: readonly Change[]): RunSpec {
  const { steps, values } = planned(run, changes);
  const given: Given =
    Object.keys(values).length > 0
      ? { values: { ...run.given.values, ...values }, setting: 'the change' }
      : run.given;
  return readAgain(run, steps.reduce(grafted, run.sources), given);
}

/** Another run after changes to files that both share; unchanged if the changes touch none of its files. */
export function carried(run: RunSpec, from: RunSpec, changes: readonly Change[]): RunSpec {
  const isShared = ({ source }: Step): boolean =>
    run.sources.some(({ path, document }) => path === source.path && document === source.document);
  const steps = planned(from, changes).steps.filter(isShared);
  return steps.length === 0 ? run : readAgain(run, steps.reduce(grafted, run.sources), run.given);
}

/** The keys that changes set, without duplicates. */
export const stepsOf = (run: RunSpec, changes: readonly Change[]): readonly Step[] =>
  planned(run, changes).steps;

/** Each changed key once, and the values that no key can state. */
function planned(run: RunSpec, changes: readonly Change[]) {
  const reader = readerOf(run);
  const steps = new Map<string, Step>();
  const values: Partial<Record<keyof QuantityValues, unknown>> = {};
  for (const change of changes) {
    const written = stepsFor(reader, change);
    if (written.ok) for (const step of written.steps) steps.set(placeOf(step), step);
    else if ('quantity' in change) values[change.quantity] = change.to;
  }
  return { steps: [...steps.values()], values: values as Partial<QuantityValues> };
}

function readAgain(run: RunSpec, sources: readonly SourceFile[], given: Given): RunSpec {
  const { missingFiles, launched, installs, definition } = run;
  const files = {
    sources,
    missingFiles,
    given,
    ...(launched && { launched }),
    ...(installs && { installs }),
    ...(run.ownSizes !== undefined && { ownSizes: ownSizesOf(sources) }),
    ...(definition && { definition }),
  };
  return inSameRelease(run, buildRun(run.name, dialectOfRun(run), files, findDialect, [], readerOf(run)));
}

/** What states the release around the files stays, with the defaults that it has. */
function inSameRelease({ framework, details }: RunSpec, run: RunSpec): RunSpec {
  if (framework.from === undefined) return run;
  const { memoryShare } = details;
  const isDefault =
    memoryShare?.origin.kind === 'default' && run.details.memoryShare?.origin.kind === 'default';
  return { ...run, framework, ...(isDefault && { details: { ...run.details, memoryShare } }) };
}

/** All sources with one key set; an inline part shares the tree of its file. */
function grafted(sources: readonly SourceFile[], { source, path, value }: Step): readonly SourceFile[] {
  const target = sources.find(other => other.path === source.path && other.document === source.document);
  if (!target) return sources;
  const yaml: YamlFile = {
    ...target.yaml,
    documents: target.yaml.documents.map(document =>
      document.index === source.document && document.root
        ? { ...document, root: graft(target.yaml.text, document.root, path, value) }
        : document,
    ),
  };
  return sources.map(other =>
    other.path === source.path && other.document === source.document ? { ...other, yaml } : other,
  );
}
