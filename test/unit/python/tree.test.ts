import assert from 'node:assert/strict';
import { parser } from '@lezer/python';
import type { Tree } from '@lezer/common';
import { parseProgram } from '../../../src/core/python/parse';
import { syntaxTree } from '../../../src/core/python/tree';
import { SFT } from './support';

const BLOCK = `
def prepare(rows, limit=100):
    kept = [row for row in rows if len(row["text"]) < limit]
    if not kept:
        raise ValueError(f"none under {limit}")
    return kept
`;

const PROGRAM = `${BLOCK.repeat(20)}${SFT}${BLOCK.repeat(20)}`;

function written(tree: Tree | null): string {
  const nodes: string[] = [];
  tree?.iterate({ enter: ({ name, from, to }) => void nodes.push(`${name} ${from}-${to}`) });
  return nodes.join('\n');
}

/** A new text each time, and what the parser makes of it from nothing. */
const same = (text: string): void => assert.equal(written(syntaxTree(text)), written(parser.parse(text)));

describe('the syntax tree of an edited program', () => {
  const at = PROGRAM.indexOf('BATCH = 4');
  const edits = {
    'another value': PROGRAM.replace('BATCH = 4', 'BATCH = 16'),
    'a new argument': PROGRAM.replace('    bf16=True,', '    bf16=True,\n    optim="adamw_8bit",'),
    'a deleted line': PROGRAM.replace('MODEL = "Qwen/Qwen2.5-7B-Instruct"\n', ''),
    'a line that opens a block': PROGRAM.replace('trainer.train()', 'if data:\n    trainer.train()'),
    'text without an end': `${PROGRAM.slice(0, at)}"""${PROGRAM.slice(at)}`,
    'a broken call': PROGRAM.replace('args = SFTConfig(', 'args = SFTConfig(('),
    'the same again': PROGRAM,
    'half of it': PROGRAM.slice(0, at),
  };
  for (const [what, text] of Object.entries(edits)) {
    it(`is that of its text: ${what}`, () => {
      same(PROGRAM);
      same(text);
      same(PROGRAM);
    });
  }

  it('is that of its text wherever a character goes or comes', () => {
    for (let place = 0; place < PROGRAM.length; place += 97) {
      same(PROGRAM.slice(0, place) + PROGRAM.slice(place + 1));
      same(`${PROGRAM.slice(0, place)} ${PROGRAM.slice(place)}`);
      same(`${PROGRAM.slice(0, place)}\n${PROGRAM.slice(place)}`);
    }
  });
});

describe('the syntax tree of a text that no one wrote', () => {
  it('is none with thousands of open brackets, which the parser would copy at each mistake', () => {
    assert.equal(syntaxTree(`b = ${'('.repeat(5000)}`), null);
    assert.equal(syntaxTree(`b = ${'(a, ['.repeat(2500)}`), null);
  });

  it('has all of long lists, calls and bodies', () => {
    for (const text of [
      `b = [${'1, '.repeat(20_000)}]\n`,
      `f(${'a=1, '.repeat(20_000)})\n`,
      'b = 1\n'.repeat(20_000),
      `b = ${'1 + '.repeat(5000)}1\n`,
      `if a:\n    pass\n${'elif b:\n    pass\n'.repeat(5000)}`,
    ]) {
      same(text);
    }
  });
});

describe('the statements of an edited program', () => {
  /** All names of a program, and what stands at their places. */
  function namesIn(part: unknown, text: string): readonly (readonly [string, string])[] {
    if (typeof part !== 'object' || part === null) return [];
    const own =
      'kind' in part && part.kind === 'name'
        ? (part as unknown as { name: string; span: { start: number; end: number } })
        : null;
    return own
      ? [[own.name, text.slice(own.span.start, own.span.end)]]
      : Object.values(part).flatMap(one => namesIn(one, text));
  }

  it('stand at their places wherever a line comes, and are new objects', () => {
    parseProgram(PROGRAM);
    for (let place = 0; place >= 0; place = PROGRAM.indexOf('\n\n', place + 400)) {
      const text = `${PROGRAM.slice(0, place)}\nadded = 1\n${PROGRAM.slice(place)}`;
      const [statements, before] = [parseProgram(text), parseProgram(PROGRAM)];
      const names = namesIn(statements, text);
      assert.deepEqual(
        names.filter(([name, written]) => name !== written),
        [],
      );
      assert.equal(names.length, namesIn(before, PROGRAM).length + 1);
      assert.ok(statements.every(one => !before.includes(one)));
    }
  });
});
