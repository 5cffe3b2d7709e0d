import assert from 'node:assert/strict';
import { namesOf } from '../../../src/core/text/namesOf';

/** The names of the part between `«` and `»`. */
function named(marked: string, value: string): readonly string[] {
  const start = marked.indexOf('«');
  const text = marked.replaceAll(/[«»]/g, '');
  const spans = namesOf(text, { start, end: marked.indexOf('»') - 1 }, value);
  return spans.map(one => text.slice(one.start, one.end));
}

describe('names of a value', () => {
  for (const [what, text, value, names] of [
    ['the argument before it', 'DataLoader(rows, batch_size=«8»)', '8', ['batch_size']],
    ['the field that it is of', 'class A:\n    batch_size: int = «8»\n', '8', ['batch_size']],
    ['the key of a dictionary', 'run({"batch_size": «8»})', '8', ['"batch_size']],
    [
      'the flags of an option',
      'parser.add_argument("-b", "--batch_size", type=int, default=«8»)',
      '8',
      ['default', '"-b"', '"--batch_size"'],
    ],
    [
      'a constant',
      'BATCH = 8\nOTHER = 8\nDataLoader(rows, batch_size=«BATCH»)',
      '8',
      ['batch_size', 'BATCH'],
    ],
    ['a constant of a notebook’s file', '"BATCH = 8\\n",\n"run(b=«BATCH»)"', '8', ['b', 'BATCH']],
    ['an entry of a table', 'CONFIG = {\n  "batch": 8,\n}\nrun(b=«CONFIG["batch"]»)', '8', ['b', 'batch']],
    ['a variable of a script', 'export BATCH=${1:-8}\npython train.py --batch «$BATCH»', '8', ['BATCH']],
    ['no constant with another value', 'BATCH = 16\nrun(b=«BATCH»)', '8', ['b']],
    ['nothing for a value that stands alone', 'vllm serve «8»', '8', []],
  ] as const) {
    it(`are ${what}`, () => assert.deepEqual(named(text, value), names));
  }
});
