import assert from 'node:assert/strict';
import fc from 'fast-check';
import { keyEditsOn } from '../../../src/core/dialects/write';
import type { Step } from '../../../src/core/dialects/write';
import type { KeyEdit } from '../../../src/core/yaml/keyEdit';
import type { SourceFile } from '../../../src/core/spec/runSpec';
import { applyEdits } from '../../../src/core/text/textEdit';
import { setKey } from '../../../src/core/yaml/edit';
import { graft } from '../../../src/core/yaml/graft';
import type { YamlNode } from '../../../src/core/yaml/node';
import { parseYaml } from '../../../src/core/yaml/parse';
import { formatPath, resolve } from '../../../src/core/yaml/path';
import { tries } from '../../tries';

/** A config as a tree: numbers, lists and sections, in braces or on lines. */
type Tree =
  | number
  | { readonly items: readonly number[] }
  | { readonly inBraces: boolean; readonly keys: Readonly<Record<string, Tree>> };

const name = fc.constantFrom('a', 'b', 'c', 'd');

const { tree } = fc.letrec<{ tree: Tree; section: Tree }>(tie => ({
  tree: fc.oneof(
    { depthSize: 'medium', maxDepth: 4 },
    fc.integer({ min: 0, max: 99 }),
    fc.record({ items: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 3 }) }),
    tie('section'),
  ),
  section: fc.record({
    inBraces: fc.boolean(),
    keys: fc.dictionary(name, tie('tree'), { maxKeys: 3 }),
  }),
}));

interface Style {
  readonly indent: number;
  readonly eol: string;
  readonly comment: string;
}

const style = fc.record({
  indent: fc.constantFrom(2, 3, 4),
  eol: fc.constantFrom('\n', '\r\n'),
  comment: fc.constantFrom('', ' # why'),
});

function braces(value: Tree): string {
  if (typeof value === 'number') return String(value);
  if ('items' in value) return `[${value.items.join(', ')}]`;
  return `{${Object.entries(value.keys)
    .map(([key, below]) => `${key}: ${braces(below)}`)
    .join(', ')}}`;
}

function lines(keys: Readonly<Record<string, Tree>>, column: number, look: Style): string[] {
  const { indent, comment } = look;
  return Object.entries(keys).flatMap(([key, value]) => {
    const start = `${' '.repeat(column)}${key}:`;
    if (typeof value === 'number') return [`${start} ${value}${comment}`];
    if ('items' in value) {
      return [start, ...value.items.map(item => `${' '.repeat(column + indent)}- ${item}${comment}`)];
    }
    if (value.inBraces || Object.keys(value.keys).length === 0) {
      return [`${start} ${braces(value)}${comment}`];
    }
    return [`${start}${comment}`, ...lines(value.keys, column + indent, look)];
  });
}

const config = fc
  .tuple(fc.dictionary(name, tree, { minKeys: 1, maxKeys: 4 }), style, fc.boolean())
  .map(([keys, look, ends]) => lines(keys, 0, look).join(look.eol) + (ends ? look.eol : ''));

/** The requested keys: none is the section of another. */
const wanted = fc
  .uniqueArray(
    fc.record({
      path: fc.array(name, { minLength: 1, maxLength: 4 }),
      value: fc.oneof(fc.integer({ min: 100, max: 200 }), fc.constant('yes')),
    }),
    { minLength: 1, maxLength: 6, selector: ({ path }) => path.join('.') },
  )
  .filter(all =>
    all.every(({ path }) => !all.some(other => other.path.join('.').startsWith(`${path.join('.')}.`))),
  );

type Wanted = readonly { readonly path: readonly string[]; readonly value: number | string }[];

const sourceOf = (text: string): SourceFile => ({
  path: 'config.yaml',
  yaml: parseYaml(text),
  document: 0,
  base: [],
  dialect: 'x',
  via: { kind: 'config' },
});

/** Steps for the keys that the text can take, each by itself. */
function stepsIn(source: SourceFile, all: Wanted): Step[] {
  const [document] = source.yaml.documents;
  return all.flatMap(({ path, value }) => {
    const result = document && setKey(source.yaml.text, document, path, value);
    return result?.ok ? [{ source, path, value, after: null, edit: result.edit }] : [];
  });
}

/** Every value of a text by its path; an empty section counts, too. */
function leavesOf(text: string): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const walk = (node: YamlNode | null, path: readonly (string | number)[]): void => {
    const at = resolve(node);
    if (at?.kind === 'map') for (const { key, value } of at.entries) walk(value, [...path, key]);
    else if (at?.kind === 'sequence') at.items.forEach((item, i) => walk(item, [...path, i]));
    else if (at?.kind === 'scalar') found[formatPath(path)] = at.value;
  };
  const { documents, problems } = parseYaml(text);
  assert.deepEqual(problems, [], text);
  for (const { root } of documents) walk(root, []);
  return found;
}

/** Checks that the text after some of the edits has its previous values and the edits'. */
function check(text: string, edits: readonly KeyEdit[], steps: readonly Step[]): void {
  const set = new Set(edits.flatMap(({ path, keys = [path] }) => keys));
  const expected = leavesOf(text);
  for (const { path, value } of steps) if (set.has(formatPath(path))) expected[formatPath(path)] = value;
  const after = applyEdits(
    text,
    edits.map(({ edit }) => edit),
  );
  assert.deepEqual(leavesOf(after), expected, `${text}\n---\n${after}`);
}

describe('several keys at once', () => {
  it('are written each where it belongs, all of them or some', () => {
    fc.assert(
      fc.property(config, wanted, fc.array(fc.boolean()), (text, all, chosen) => {
        const source = sourceOf(text);
        const steps = stepsIn(source, all);
        const edits = keyEditsOn([source], steps) ?? assert.fail(text);
        const keys = edits.flatMap(({ path, keys: several = [path] }) => several);
        assert.deepEqual(keys.toSorted(), steps.map(({ path }) => formatPath(path)).toSorted());
        check(text, edits, steps);
        check(
          text,
          edits.filter((_, i) => chosen[i] !== true),
          steps,
        );
      }),
      { numRuns: tries(50) },
    );
  });

  it('are the same where some were put into the tree before', () => {
    fc.assert(
      fc.property(config, wanted, (text, all) => {
        const source = sourceOf(text);
        let now = source;
        const steps: Step[] = [];
        for (const one of all) {
          const [step] = stepsIn(now, [one]);
          if (!step) continue;
          steps.push(step);
          const documents = now.yaml.documents.map(document => ({
            ...document,
            root: document.root && graft(text, document.root, one.path, one.value),
          }));
          now = { ...now, yaml: { ...now.yaml, documents } };
        }
        const edits = keyEditsOn([source], steps) ?? assert.fail(text);
        check(text, edits, steps);
      }),
      { numRuns: tries(50) },
    );
  });

  it('of one new section are one edit, with the file’s own indentation', () => {
    const text = 'model:\n    name: x # base\nseed: 1\n';
    const source = sourceOf(text);
    const steps = stepsIn(source, [
      { path: ['train', 'micro'], value: 2 },
      { path: ['train', 'fsdp', 'offload'], value: 'yes' },
      { path: ['train', 'steps'], value: 8 },
    ]);
    const [edit, ...more] = keyEditsOn([source], steps) ?? [];
    assert.deepEqual(more, []);
    assert.equal(edit?.path, 'train');
    assert.equal(edit.from, null);
    assert.equal(edit.to, '{micro: 2, fsdp: {offload: "yes"}, steps: 8}');
    assert.deepEqual(edit.keys, ['train.micro', 'train.fsdp.offload', 'train.steps']);
    assert.equal(
      applyEdits(text, [edit.edit]),
      `${text.trimEnd()}\ntrain:\n    micro: 2\n    fsdp:\n        offload: "yes"\n    steps: 8\n`,
    );
  });
});
