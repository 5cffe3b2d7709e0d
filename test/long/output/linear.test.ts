import assert from 'node:assert/strict';
import { forms } from '../../../src/core/data/forms/all';
import { finder } from '../../../src/core/data/forms/line';
import { dialects } from '../../../src/core/dialects/registry';
import { explainOom } from '../../../src/core/output/oom/explain';
import { LONGEST } from '../../../src/core/output/progress/records';
import { readProgress } from '../../../src/core/output/progress/reader';
import { leastCpuMs } from '../../cpuTime';
import { someOf } from '../../tries';

const CHARACTERS = 100_000;
/** Processor time for the longest line that is read. Some patterns look to its end from each start of a record; worse ones take many seconds. */
const MOST_LINE_MS = 1500;
/** The same for a whole text, with all patterns. */
const MOST_TEXT_MS = 8000;

/** The same for messages, each of which is looked through once; some 100 ms, and minutes where the longest is looked through for each. */
const MOST_MESSAGES_MS = 1000;

/** For records in a row: some 200 ms, and 2.5 s where each looks to the end of the line. */
const MOST_RECORDS_MS = 1000;

const ROWS = [
  '1',
  '1 ',
  '1.',
  '1%|',
  '| 1/1 [',
  '1,',
  ' ',
  '9.9',
  '{"a":1',
  "{'loss':",
  '1 GiB ',
  '\u001b[',
  'Epoch 1: ',
  ':',
  '/',
];

const rowOf = (piece: string, length: number): string =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

/** Lines that begin as the pattern's own example does and do not end as it does, and rows of one piece. */
const linesFor = (example: string): readonly string[] => [
  ...ROWS.map(piece => rowOf(piece, LONGEST)),
  rowOf(example.slice(0, -1), LONGEST),
  ...[0.3, 0.6, 0.9].map(share => {
    const start = example.slice(0, Math.ceil(example.length * share));
    return start + rowOf('1', LONGEST - start.length);
  }),
];

const ownLines = dialects.flatMap(({ logs }) => logs ?? []);
const examples = new Map([...forms, ...ownLines].map(({ pattern, example }) => [pattern, example]));

describe('patterns for what programs print', function () {
  this.timeout(120_000);

  it('still take their examples with what repeats in them bounded', () => {
    for (const [pattern, example] of examples) assert.match(example, finder(pattern), pattern);
  });

  it('take a time that grows with the line, each by itself', () => {
    for (const [pattern, example] of someOf([...examples], 8)) {
      const finds = finder(pattern);
      for (const line of linesFor(example)) {
        const ms = leastCpuMs(MOST_LINE_MS, () => [...line.matchAll(finds)].length);
        assert.ok(ms <= MOST_LINE_MS, `${Math.round(ms)} ms on ${line.slice(0, 60)}…: ${pattern}`);
      }
    }
  });

  it('take a time that grows with the text, all together', () => {
    for (const piece of someOf(ROWS, 4)) {
      const text = rowOf(piece, CHARACTERS);
      const progressMs = leastCpuMs(MOST_LINE_MS, () => readProgress(text, ownLines.slice(0, 4)));
      assert.ok(progressMs <= MOST_TEXT_MS, `progress: ${Math.round(progressMs)} ms on rows of ${piece}`);
      const oomMs = leastCpuMs(MOST_LINE_MS, () => explainOom(text));
      assert.ok(oomMs <= MOST_TEXT_MS, `memory: ${Math.round(oomMs)} ms on rows of ${piece}`);
    }
  });

  it('take little for records in a row, each with a brace of its own', () => {
    const text = rowOf("{'loss': 1.25, 'epoch': 0.16}1/", CHARACTERS);
    const ms = leastCpuMs(MOST_LINE_MS, () => readProgress(text));
    assert.ok(ms <= MOST_RECORDS_MS, `${Math.round(ms)} ms`);
  });

  it('find each of the records that ranks print into one line', () => {
    const line = `x ${rowOf("{'a': 1, 'tps': 5} ", 57)}{'a': 1}`;
    const found = [...line.matchAll(finder(String.raw`\{.*?'tps': (\d)`))];
    assert.deepEqual(
      found.map(([, number]) => number),
      ['5', '5', '5'],
    );
  });

  it('take it for many messages of which the first is long', () => {
    const message = 'CUDA out of memory. Tried to allocate 1 GiB. ';
    const text = message + rowOf('1', CHARACTERS) + message.repeat(1000);
    const ms = leastCpuMs(MOST_LINE_MS, () => explainOom(text));
    assert.ok(ms <= MOST_MESSAGES_MS, `${Math.round(ms)} ms`);
  });
});
