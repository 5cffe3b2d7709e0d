import type { Change } from '../spec/change';
import type { KeyEdit } from '../yaml/keyEdit';
import type { RunSpec, SourceFile } from '../spec/runSpec';
import { setKey, setNewKeys } from '../yaml/edit';
import { newKeysText, togetherIn } from '../yaml/insert';
import type { TextEdit } from '../text/textEdit';
import type { ScalarValue } from '../yaml/node';
import { find, formatPath } from '../yaml/path';
import type { YamlPath } from '../yaml/path';
import { scalarText } from '../yaml/scalarText';
import { dialectOfRun, findDialect } from './find';
import { LayeredRun } from './engine/layeredRun';
import { place } from './engine/placing';
import { inWords } from './engine/wording';

type Edits =
  { readonly ok: true; readonly edits: readonly KeyEdit[] } | { readonly ok: false; readonly why: string };

/** One key that changes: where, to what, and the edit that does it by itself. */
export interface Step extends Placing {
  readonly edit: TextEdit;
}

/** One key that changes; a new one stands behind `after`. */
interface Placing {
  readonly source: SourceFile;
  readonly path: YamlPath;
  readonly value: ScalarValue;
  readonly after: string | null;
}

type Steps =
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
  return { ok: true, edits: keyEdits([...steps.values()]) };
}

const readers = new WeakMap<RunSpec, LayeredRun>();

/** A run's own reader, made once: it answers each question once. Its notes are of no interest any more. */
export function readerOf(run: RunSpec): LayeredRun {
  const reader = readers.get(run) ?? new LayeredRun(dialectOfRun(run), run, findDialect, []).traced();
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
    steps.push({ source, path, value, after, edit: result.edit });
  }
  return { ok: true, steps };
}

/** Tells steps apart: of several to one key the last counts. */
export const placeOf = ({ source, path }: Pick<Step, 'source' | 'path'>): string =>
  `${source.path}#${source.document}#${formatPath(path)}`;

/**
 * What steps do to their files as they are, each key once. Keys of one section that is not there yet are one edit: neither
 * can be made without the other.
 */
function keyEdits(steps: readonly Step[]): readonly KeyEdit[] {
  const groups = new Map<string, Step[]>();
  for (const step of steps) {
    const document = step.source.yaml.documents[step.source.document];
    const { start, end } = step.edit.span;
    const section = document && start === end ? togetherIn(document, step.path) : null;
    const name = section === null ? placeOf(step) : `new ${placeOf({ ...step, path: section })}`;
    groups.set(name, [...(groups.get(name) ?? []), step]);
  }
  return inOrder([...groups.values()].flatMap(editsOfGroup));
}

/** The same for steps of runs that were changed already: in the files as they were, the last step to a key counts. */
export function keyEditsOn(
  sources: readonly SourceFile[],
  steps: readonly Step[],
): readonly KeyEdit[] | null {
  const onText = new Map<string, Step>();
  for (const step of steps) {
    const { path, value, after } = step;
    const source = sources.find(one => placeOf({ ...step, source: one }) === placeOf(step)) ?? step.source;
    const document = source.yaml.documents[source.document];
    const result = document && setKey(source.yaml.text, document, path, value, after);
    if (!result?.ok) return null;
    onText.set(placeOf(step), { ...step, source, edit: result.edit });
  }
  return keyEdits([...onText.values()]);
}

function editsOfGroup(steps: readonly Step[]): readonly KeyEdit[] {
  const [first] = steps;
  if (!first) return [];
  return [(steps.length > 1 ? sectionEdit(first, steps) : null) ?? keyEdit(first)];
}

/** A new section with all its new keys; null where the text has no place for it. */
function sectionEdit({ source, path, after }: Step, steps: readonly Step[]): KeyEdit | null {
  const document = source.yaml.documents[source.document];
  const section = document && togetherIn(document, path);
  if (!section) return null;
  const result = setNewKeys(source.yaml.text, document, steps, after);
  if (!result.ok) return null;
  const names = steps.map(one => formatPath(one.path));
  const within = steps.map(one => ({ path: one.path.slice(section.length), value: one.value }));
  return {
    file: source.path,
    path: section.length === 0 ? names.join(', ') : formatPath(section),
    from: find(document.root, section) && section.length > 0 ? '{}' : null,
    to: newKeysText(within),
    edit: result.edit,
    keys: names,
  };
}

/** Of insertions at one place those further in come first: they belong to what stands before them. */
function inOrder(edits: readonly KeyEdit[]): readonly KeyEdit[] {
  const isTied = (a: KeyEdit, b: KeyEdit): boolean =>
    a.file === b.file && a.edit.span.start === b.edit.span.start;
  return edits.map((edit, i) => {
    const tied = edits.filter(other => isTied(other, edit));
    const place = edits.slice(0, i).filter(other => isTied(other, edit)).length;
    return tied.toSorted((a, b) => columnOf(b) - columnOf(a))[place] ?? edit;
  });
}

/** Where a new line begins; what goes on in a line comes before all new ones. */
const columnOf = ({ edit: { text } }: KeyEdit): number => {
  const [, indent] = /^\r?\n([ ]*)/.exec(text) ?? [];
  return indent?.length ?? Number.MAX_SAFE_INTEGER;
};

/** What a step does to its file. */
function keyEdit({ source, path, value, edit }: Step): KeyEdit {
  const { text, documents } = source.yaml;
  const found = find(documents[source.document]?.root ?? null, path);
  const old = found && !found.entry?.merged ? found.node : null;
  const from = old && text.slice(old.span.start, old.span.end);
  const to = old ? edit.text.trim() : scalarText(value, 'double-if-needed');
  return { file: source.path, path: formatPath(path), from, to, edit };
}
