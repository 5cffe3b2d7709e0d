import assert from 'node:assert/strict';
import { setKey } from '../../../src/core/yaml/edit';
import { graft } from '../../../src/core/yaml/graft';
import type { ScalarValue, YamlNode } from '../../../src/core/yaml/node';
import { parseYaml } from '../../../src/core/yaml/parse';
import { parsePath, resolve } from '../../../src/core/yaml/path';

/** Values and their notation, without positions. */
function shape(node: YamlNode | null): unknown {
  const at = resolve(node);
  if (at?.kind === 'map') {
    return Object.fromEntries(
      at.entries
        .map(({ key, value }) => [key, shape(value)])
        .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    );
  }
  if (at?.kind === 'sequence') return at.items.map(shape);
  return at?.kind === 'scalar' ? { value: at.value, style: at.style } : null;
}

describe('a key set in a tree', () => {
  const cases: [title: string, text: string, path: string, value: ScalarValue][] = [
    ['a plain number', 'a: 4\nb: 1\n', 'a', 2],
    ['a quoted number', "a: '4'\n", 'a', 2],
    ['a word over a number', 'a: 4\n', 'a', 'auto'],
    ['a word that needs quotes', 'a: x\n', 'a', 'yes'],
    ['an empty value', 'a:\nb: 1\n', 'a', true],
    ['an alias', 'x: &n 4\na: *n\n', 'a', 2],
    ['an own key over a merged one', 'd: &d {a: 4}\nr:\n  <<: *d\n  b: 1\n', 'r.a', 2],
    ['a new key', 'a: 4\n', 'b', 2],
    ['a new section', 'a: 4\n', 'm.n', 'x'],
    ['a list with its first item', 'a: 4\n', 'l[0]', 'x'],
    ['one item more', 'l:\n  - x\n', 'l[1]', 'y'],
    ['in a list', '- a: 4\n- a: 5\n', '[1].a', 2],
    ['a number in JSON over a word', '{"a": "auto"}', 'a', 2],
    ['a word in JSON over a number', '{"a": 4}', 'a', 'auto'],
    ['of duplicates the last', 'a: 1\na: 2\n', 'a', 3],
  ];
  for (const [title, text, path, value] of cases) {
    it(`reads as the edited text does: ${title}`, () => {
      const document = parseYaml(text).documents[0];
      assert.ok(document?.root);
      const result = setKey(text, document, parsePath(path), value);
      assert.ok(result.ok);
      const { span, text: written } = result.edit;
      const after = text.slice(0, span.start) + written + text.slice(span.end);
      const grafted = graft(text, document.root, parsePath(path), value);
      assert.deepEqual(shape(grafted), shape(parseYaml(after).documents[0]?.root ?? null));
    });
  }
});
