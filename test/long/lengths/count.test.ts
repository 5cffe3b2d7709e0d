import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { PLAIN_MARKS } from '../../../src/core/lengths/chatMarks';
import type { DatasetRef } from '../../../src/core/spec/dataset';
import { countLengths } from '../../../src/lengths/count';
import type { Counted } from '../../../src/lengths/count';
import { openCounter } from '../../../src/lengths/tokens';
import type { Renderer } from '../../../src/lengths/templates';
import type { Counter } from '../../../src/lengths/tokens';
import { workFolder } from '../../unit/embed/folders';
import { tinyTexts, writeTinyModel } from '../../unit/embed/tinyModel';

/** Words are tokens, so counts can be checked by hand. */
const words: Counter = {
  name: 'words',
  marks: PLAIN_MARKS,
  count: texts => Promise.resolve(texts.map(text => text.split(/\s+/).filter(Boolean).length)),
};

describe('lengths: counting', () => {
  const work = workFolder();
  after(work.remove);

  function put(name: string, content: string | Uint8Array): string {
    const path = join(work.path, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return name;
  }

  const ref = (path: string, more: Partial<DatasetRef> = {}): DatasetRef => ({
    path,
    files: [],
    template: 'none',
    columns: {},
    ...more,
  });

  async function count(
    datasets: readonly DatasetRef[],
    more: {
      readonly counter?: Counter | null;
      readonly renderer?: Renderer | null;
      readonly samples?: number | null;
      readonly mostBytes?: number;
    } = {},
    signal = { aborted: false },
  ): Promise<{ readonly counted: Counted | null; readonly left: readonly string[] }> {
    const { counter = words, renderer = null, samples = null, mostBytes = 2 ** 40 } = more;
    const wholeBytes = 0;
    const places = { from: [work.path], home: '/nowhere', cache: join(work.path, 'hub') };
    return countLengths(
      { datasets, places, counter, renderer, samples, wholeBytes, mostBytes },
      { signal, progress: () => undefined },
    );
  }

  const line = (text: string): string => `${JSON.stringify({ text })}\n`;
  const three = ['a', 'a b c', 'a b c d e'];

  it('finds the same in every format', async () => {
    const files = [
      put('a.jsonl', three.map(line).join('')),
      put('a.jsonl.gz', gzipSync(three.map(line).join(''))),
      put(
        'a.json',
        JSON.stringify(
          three.map(text => ({ text })),
          null,
          2,
        ),
      ),
      put('a.csv', `text,label\n${three.map(text => `"${text}",1\n`).join('')}`),
      put('a.txt', three.join('\n')),
      put(
        'a.parquet',
        new Uint8Array(parquetWriteBuffer({ columnData: [{ name: 'text', data: three, type: 'STRING' }] })),
      ),
    ];
    for (const file of files) {
      const { counted, left } = await count([ref(file)]);
      assert.deepEqual(left, [], file);
      assert.deepEqual(
        counted?.bins,
        [
          [1, 1],
          [3, 1],
          [5, 1],
        ],
        file,
      );
      assert.deepEqual([counted.rows, counted.counted, counted.sum, counted.longest], [3, 3, 9, 5], file);
      assert.equal(counted.scanned, true);
      assert.equal(counted.untokenisedBytes, 0);
    }
  });

  it('takes the longer sequence of a pair', async () => {
    const file = put('pairs.jsonl', `${JSON.stringify({ prompt: 'a ', chosen: 'b c d', rejected: 'b' })}\n`);
    assert.equal((await count([ref(file)])).counted?.longest, 4);
  });

  it('reads the files for training in a folder, and those of a list of LLaMA-Factory’s', async () => {
    put('folder/train-00000.jsonl', line('a b'));
    put('folder/test-00000.jsonl', line('a b c d e f g'));
    put('folder/dataset_info.json', '{}');
    assert.equal((await count([ref('folder')])).counted?.longest, 2);
    put(
      'list/dataset_info.json',
      JSON.stringify({ mine: { file_name: 'mine.json', columns: { prompt: 'q', response: 'a' } } }),
    );
    put('list/mine.json', JSON.stringify([{ q: 'one ', a: 'two three' }]));
    const found = await count([ref('mine', { registry: 'list/dataset_info.json' })]);
    assert.equal(found.counted?.longest, 3);
    assert.equal(found.counted.name, 'list/mine.json');
  });

  it('reads what was downloaded from the hub, in the snapshot that is the newest', async () => {
    put('hub/datasets--org--name/refs/main', 'abc');
    put('hub/datasets--org--name/snapshots/abc/data/train.jsonl', line('a b c d'));
    put('hub/datasets--org--name/snapshots/old/data/train.jsonl', line('a'));
    assert.equal((await count([ref('org/name')])).counted?.longest, 4);
  });

  it('reads files by a pattern', async () => {
    put('many/x1.jsonl', line('a'));
    put('many/x2.jsonl', line('a b'));
    assert.equal((await count([ref('json', { files: ['many/x*.jsonl'] })])).counted?.rows, 2);
  });

  it('says of each dataset why it was not counted, and counts the others', async () => {
    put('pictures.jsonl', `${JSON.stringify({ image: 'x', label: 1 })}\n`);
    put('broken.jsonl', '{"text": "a"}\n{"text": \n');
    put('ok.jsonl', line('a b'));
    const names = [
      'nothing/here',
      'https://example.org/x.jsonl',
      'pictures.jsonl',
      'broken.jsonl',
      'ok.jsonl',
    ];
    const { counted, left } = await count(names.map(name => ref(name)));
    assert.match(left[0] ?? '', /^dataset nothing\/here isn't on this machine/);
    assert.match(left[1] ?? '', /is on another machine, and Headroom doesn't download data$/);
    assert.match(left[2] ?? '', /pictures\.jsonl has no known text column \(it has image, label\)/);
    assert.match(left[3] ?? '', /broken\.jsonl:2: the line is not JSON/);
    assert.equal(counted?.longest, 2);
    assert.deepEqual(counted.left, left);
  });

  it('looks at every row of large data, tokenises some and the longest, and bounds the rest', async () => {
    const rows = 6000;
    const pad = 'x'.repeat(100);
    const texts = Array.from({ length: rows }, (_, i) => `${'w '.repeat(1 + (i % 7))}${pad}`);
    texts[3141] = 'w '.repeat(4000);
    const file = put('large.jsonl', texts.map(line).join(''));
    const { counted } = await count([ref(file)], { samples: 1000 });
    assert.ok(counted);
    assert.equal(counted.rows, rows);
    assert.ok(counted.counted > 700 && counted.counted < 1300, String(counted.counted));
    assert.equal(counted.longest, 4000, 'the longest row is not in a sample but by luck');
    const longestOther = Math.max(...texts.filter((_, i) => i !== 3141).map(text => text.length));
    assert.equal(counted.untokenisedBytes, longestOther);
    assert.equal(counted.scanned, true);
    const again = await count([ref(file)], { samples: 1000 });
    assert.deepEqual(again.counted, counted, 'the same sample each time');
  });

  it('says that it did not read all where there is too much', async () => {
    const file = put('much.jsonl', three.map(line).join('').repeat(30_000));
    const { counted } = await count([ref(file)], { mostBytes: 1 << 17 });
    assert.equal(counted?.scanned, false);
    assert.ok(counted.rows < 90_000);
  });

  it('ends without a result when it is given up', async () => {
    const file = put('given-up.jsonl', three.map(line).join(''));
    assert.equal((await count([ref(file)], {}, { aborted: true })).counted, null);
  });

  it('ends in the middle of a file when it is given up there, and tokenises no more of it', async () => {
    const rows = 20_000;
    const file = put('half.jsonl', line('a b c '.repeat(200)).repeat(rows));
    let [tokenized, aborted] = [0, false];
    const counter: Counter = {
      ...words,
      count: texts => {
        tokenized += texts.length;
        aborted = true;
        return words.count(texts, false);
      },
    };
    const signal = {
      get aborted() {
        return aborted;
      },
    };
    assert.equal((await count([ref(file), ref(file)], { counter }, signal)).counted, null);
    assert.ok(tokenized > 0 && tokenized < rows / 4, `${tokenized}`);
  });

  it('counts bytes where there is no tokenizer', async () => {
    const { counted } = await count([ref(put('bytes.txt', 'äöü'))], { counter: null });
    assert.equal(counted?.tokenizer, null);
    assert.equal(counted.longest, 6);
  });

  it('counts as the tokenizer of a model does, whatever its file says of cutting and padding', async () => {
    const model = join(work.path, 'tiny');
    writeTinyModel(model);
    const opened = await openCounter(join(model, 'tokenizer.json'), 'tiny');
    assert.ok('counter' in opened);
    const [text = ''] = tinyTexts(1);
    const lengths = await opened.counter.count([text, 'a', 'the gpu memory batch model text long'], false);
    assert.deepEqual(lengths.slice(1), [3, 9], 'with the tokens at both ends');
    const bad = await openCounter(join(work.path, 'a.txt'), 'none');
    assert.ok('why' in bad);
  });
});
