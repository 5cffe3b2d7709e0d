import type { Change } from '../spec/change';
import type { KeyEdit } from '../yaml/keyEdit';
import type { Location } from '../spec/quantity';
import type { RunSpec, SourceFile } from '../spec/runSpec';
import { setKey, setNewKeys } from '../yaml/edit';
import { newKeysText, togetherIn } from '../yaml/insert';
import type { TextEdit } from '../text/textEdit';
import type { ScalarValue } from '../yaml/node';
import { find, formatPath, parsePath } from '../yaml/path';
import type { YamlPath } from '../yaml/path';
import { scalarText } from '../yaml/scalarText';
import { dialectOfRun, findDialect } from './find';
import { LayeredRun } from './engine/layeredRun';
import { place } from './engine/placing';
import { wordingOf } from './engine/wording';

type Edits =
  | { readonly ok: true; readonly edits: readonly KeyEdit[] }
  | { readonly ok: false; readonly why: string };

/** A key that changes: the place, the new value, and a separate edit for it. */
export interface Step extends Placing {
  readonly edit: TextEdit;
}

/** A key that changes; a new one goes after `after`. */
interface Placing {
  readonly source: SourceFile;
  readonly path: YamlPath;
  readonly value: ScalarValue;
  readonly after: string | null;
}

type Steps =
  | { readonly ok: true; readonly steps: readonly Step[] }
  | { readonly ok: false; readonly why: string };

/**
 * The smallest edits that make the changes, in the file that owns each value and in its dialect; or why these files
 * cannot express them. Existing values need no edit.
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

/** A run's reader; cached, so that each question is answered once. Its notes are ignored. */
export function readerOf(run: RunSpec): LayeredRun {
  const reader = readers.get(run) ?? new LayeredRun(dialectOfRun(run), run, findDialect, []).traced();
  readers.set(run, reader);
  return reader;
}

const known = new WeakMap<LayeredRun, WeakMap<Change, Steps>>();

/** The effect of one change on the run's files; cached, because many combinations contain it. */
export function stepsFor(reader: LayeredRun, change: Change): Steps {
  const ofReader = known.get(reader) ?? new WeakMap<Change, Steps>();
  known.set(reader, ofReader);
  const steps = ofReader.get(change) ?? stepsOfChange(reader, change);
  ofReader.set(change, steps);
  return steps;
}

function stepsOfChange(reader: LayeredRun, change: Change): Steps {
  if ('stated' in change) return statedSteps(reader, change.stated, change.to);
  const wording = wordingOf(reader, change);
  if (!wording.ok) return wording;
  const steps: Step[] = [];
  const writes = wording.writes.flatMap(({ owner, writes }) => writes.map(write => ({ owner, write })));
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

/** One step that replaces a value where a file of the run, or the manifest around it, states it. */
function statedSteps(reader: LayeredRun, { file, path, valueSpan }: Location, value: ScalarValue): Steps {
  const at = parsePath(path);
  for (const source of reader.sourcesIn(file)) {
    for (const document of source.yaml.documents) {
      const { start, end } = find(document.root, at)?.node.span ?? { start: -1, end: -1 };
      if (start !== valueSpan.start || end !== valueSpan.end) continue;
      const result = setKey(source.yaml.text, document, at, value, null);
      if (!result.ok) return { ok: false, why: `${result.why}.` };
      const step = { source: { ...source, document: document.index }, path: at, value, after: null };
      return { ok: true, steps: [{ ...step, edit: result.edit }] };
    }
  }
  return { ok: false, why: 'The file that states it is not part of this run.' };
}

/** Identifies the place of a step: of several steps to one key, the last wins. */
export const placeOf = ({ source, path }: Pick<Step, 'source' | 'path'>): string =>
  `${source.path}#${source.document}#${formatPath(path)}`;

/**
 * The edits of steps to their files, one per key. New keys of one missing section form a single edit, because they
 * cannot be made separately.
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
  return sortedEdits([...groups.values()].flatMap(editsOfGroup));
}

/** The edits for steps of changed runs: relative to the original files, the last step to a key wins. */
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

/** A new section with all its new keys; null if the text has no place for it. */
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

/** Of insertions at one position, the more indented come first: they belong to the text before them. */
function sortedEdits(edits: readonly KeyEdit[]): readonly KeyEdit[] {
  const isTied = (a: KeyEdit, b: KeyEdit): boolean =>
    a.file === b.file && a.edit.span.start === b.edit.span.start;
  return edits.map((edit, i) => {
    const tied = edits.filter(other => isTied(other, edit));
    const place = edits.slice(0, i).filter(other => isTied(other, edit)).length;
    return tied.toSorted((a, b) => columnOf(b) - columnOf(a))[place] ?? edit;
  });
}

/** The column of a new line; insertions within a line come before all new lines. */
const columnOf = ({ edit: { text } }: KeyEdit): number => {
  const [, indent] = /^\r?\n([ ]*)/.exec(text) ?? [];
  return indent?.length ?? Number.MAX_SAFE_INTEGER;
};

/** The edit of a step in its file. */
function keyEdit({ source, path, value, edit }: Step): KeyEdit {
  const { text, documents } = source.yaml;
  const found = find(documents[source.document]?.root ?? null, path);
  const old = found && !found.entry?.merged ? found.node : null;
  const from = old && text.slice(old.span.start, old.span.end);
  const to = old ? edit.text.trim() : scalarText(value, 'double-if-needed');
  return { file: source.path, path: formatPath(path), from, to, edit };
}
