import type { Change, KeyEdit } from '../plan/remedy';
import type { RunSpec, SourceFile } from '../spec/runSpec';
import { setKey } from '../yaml/edit';
import type { TextEdit } from '../yaml/textEdit';
import type { ScalarValue } from '../yaml/node';
import { find, formatPath } from '../yaml/path';
import type { YamlPath } from '../yaml/path';
import { scalarText } from '../yaml/scalarText';
import { dialectOfRun } from './find';
import { LayeredRun } from './engine/layeredRun';
import { place } from './engine/placing';
import { inWords } from './engine/wording';

export type Edits =
  { readonly ok: true; readonly edits: readonly KeyEdit[] } | { readonly ok: false; readonly why: string };

/** One key that changes: where, to what, and the edit that does it. */
export interface Step {
  readonly source: SourceFile;
  readonly path: YamlPath;
  readonly value: ScalarValue;
  readonly edit: TextEdit;
}

export type Steps =
  { readonly ok: true; readonly steps: readonly Step[] } | { readonly ok: false; readonly why: string };

/**
 * The smallest edits that make the changes, in the file that owns each value and in its dialect's own words; or why
 * these files cannot take them. Values that are there already need no edit.
 */
export function editsFor(run: RunSpec, changes: readonly Change[]): Edits {
  const reader = readerOf(run);
  const steps = new Map<string, Step>();
  for (const change of changes) {
    const planned = stepsFor(reader, change);
    if (!planned.ok) return planned;
    for (const step of planned.steps) steps.set(placeOf(step), step);
  }
  const twice = sharedNewSection([...steps.values()]);
  if (twice !== null) {
    return { ok: false, why: `Two keys of the new section ${twice} cannot be added at once.` };
  }
  return { ok: true, edits: [...steps.values()].map(keyEdit) };
}

const readers = new WeakMap<RunSpec, LayeredRun>();

/** A run's own reader, made once: it answers each question once. Its notes are of no interest any more. */
export function readerOf(run: RunSpec): LayeredRun {
  const reader = readers.get(run) ?? new LayeredRun(dialectOfRun(run), run, []);
  readers.set(run, reader);
  return reader;
}

const known = new WeakMap<LayeredRun, WeakMap<Change, Steps>>();

/** What one change does to the run's files as they are: worked out once, for many combinations that it is part of. */
export function stepsFor(reader: LayeredRun, change: Change): Steps {
  const ofReader = known.get(reader) ?? new WeakMap<Change, Steps>();
  known.set(reader, ofReader);
  const steps = ofReader.get(change) ?? stepsOfChange(reader, change);
  ofReader.set(change, steps);
  return steps;
}

function stepsOfChange(reader: LayeredRun, change: Change): Steps {
  const wording = inWords(reader, change);
  if (!wording.ok) return wording;
  const steps: Step[] = [];
  const writes = wording.said.flatMap(({ owner, writes }) => writes.map(write => ({ owner, write })));
  for (const { owner, write } of writes) {
    const placed = place(owner, write);
    if (!placed.ok) return placed;
    const { source, path, value, after } = placed;
    const document = source.yaml.documents[source.document];
    if (placed.idle || !document) continue;
    const result = setKey(source.yaml.text, document, path, value, after);
    if (!result.ok) return { ok: false, why: `${result.why}.` };
    steps.push({ source, path, value, edit: result.edit });
  }
  return { ok: true, steps };
}

/** Tells steps apart: of several to one key the last counts. */
export const placeOf = ({ source, path }: Step): string =>
  `${source.path}#${source.document}#${formatPath(path)}`;

/** A section that two steps would each create. */
function sharedNewSection(steps: readonly Step[]): string | null {
  const seen = new Set<string>();
  for (const { source, path } of steps) {
    const root = source.yaml.documents[source.document]?.root ?? null;
    const depth = path.findIndex((_, i) => !find(root, path.slice(0, i + 1)));
    if (depth < 0 || depth === path.length - 1) continue;
    const section = formatPath(path.slice(0, depth + 1));
    if (seen.has(`${source.path}#${section}`)) return section;
    seen.add(`${source.path}#${section}`);
  }
  return null;
}

/** What a step does to its file. */
export function keyEdit({ source, path, value, edit }: Step): KeyEdit {
  const { text, documents } = source.yaml;
  const found = find(documents[source.document]?.root ?? null, path);
  const old = found && !found.entry?.merged ? found.node : null;
  const from = old && text.slice(old.span.start, old.span.end);
  const to = old ? edit.text.trim() : scalarText(value, 'double-if-needed');
  return { file: source.path, path: formatPath(path), from, to, edit };
}
