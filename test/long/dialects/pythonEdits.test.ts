import assert from 'node:assert/strict';
import fc from 'fast-check';
import { setKey } from '../../../src/core/yaml/edit';
import type { ScalarValue } from '../../../src/core/yaml/node';
import { find } from '../../../src/core/yaml/path';
import { tries } from '../../tries';
import { runOf } from '../../unit/dialects/support';
import { notebookOf } from '../../unit/python/support';

describe('any edit of a program', () => {
  const value = fc.oneof(
    fc.integer({ min: 0, max: 4096 }),
    fc.boolean(),
    fc.constant(null),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
  );
  const name = fc.constantFrom(
    'max_length',
    'optim',
    'bf16',
    'packing',
    'learning_rate',
    'output_dir',
    'seed',
  );
  const space = fc.constantFrom('', ' ');
  const argument = fc.record({
    name,
    value: fc.constantFrom('4', 'True', '"a\\"b"', "'x'", 'N * 2', '{"a": [1]}'),
    space,
    comment: fc.constantFrom('', '  # a, b) "', ''),
  });
  const program = fc.record({
    args: fc.uniqueArray(argument, { selector: one => one.name, maxLength: 5 }),
    lines: fc.boolean(),
    trailing: fc.boolean(),
    eol: fc.constantFrom('\n', '\r\n'),
    notebook: fc.boolean(),
  });

  it('changes one argument and no other byte, whatever the style', async () => {
    const property = fc.asyncProperty(
      program,
      name,
      value,
      async ({ args, lines, trailing, eol, notebook }, key, to) => {
        const inner = args.map((one, i) => {
          const comma = i < args.length - 1 || (trailing && lines) ? ',' : '';
          const text = `${one.name}${one.space}=${one.space}${one.value}${comma}`;
          return lines ? `    ${text}${one.comment}${eol}` : text;
        });
        const list = lines && args.length > 0 ? `(${eol}${inner.join('')})` : `(${inner.join(' ')})`;
        const code = `from trl import SFTConfig, SFTTrainer${eol}N = 2${eol}a = SFTConfig${list}${eol}SFTTrainer(args=a).train()${eol}`;
        const path = notebook ? 'a.ipynb' : 'a.py';
        const text = notebook ? notebookOf([code]) : code;
        await check(path, text, key, to);
      },
    );
    await fc.assert(property, { numRuns: tries(60) });
  });
});

async function check(path: string, text: string, key: string, to: ScalarValue): Promise<void> {
  const tree = async (content: string) => {
    const run = await runOf(content, path);
    return run.sources[0]?.yaml.documents[0];
  };
  const before = await tree(text);
  assert(before);
  const result = setKey(text, before, [key], to, null);
  const old = find(before.root, [key]);
  if (!result.ok) {
    assert.match(result.why, /is not a single value/);
    return;
  }
  const { span, text: added } = result.edit;
  assert.equal(span.start === span.end, old === null, 'an existing argument is replaced');
  const after = await tree(text.slice(0, span.start) + added + text.slice(span.end));
  const plain = (document: typeof after) =>
    document?.root?.kind === 'map'
      ? Object.fromEntries(
          document.root.entries.map(entry => [
            entry.key,
            entry.value.kind === 'scalar' ? entry.value.value : entry.value.kind,
          ]),
        )
      : null;
  assert.deepEqual(plain(after), { ...plain(before), [key]: to }, text);
}
