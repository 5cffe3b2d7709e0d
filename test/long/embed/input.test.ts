import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { linesOf } from '../../../src/embed/input/lines';
import type { InputFormat } from '../../../src/embed/input/open';
import { Input } from '../../../src/embed/input/rows';
import type { InputOptions, Row } from '../../../src/embed/input/rows';
import { workFolder } from '../../unit/embed/folders';

describe('embed: an input', () => {
  const work = workFolder();
  after(work.remove);

  function put(name: string, content: string | Uint8Array): string {
    const path = join(work.path, name);
    writeFileSync(path, content);
    return path;
  }

  async function rows(
    path: string,
    format: InputFormat,
    wishes: Partial<InputOptions> = {},
    first = 0,
  ): Promise<Row[]> {
    const input = await Input.open({ path, format, text: [], id: null, emptyWhenMissing: false, ...wishes });
    const all: Row[] = [];
    for await (const some of input.from(first)) all.push(...some);
    return all;
  }

  it('is split only at line feeds, whatever else a text holds', async () => {
    const text = 'a\u2028b\u0085c\rd';
    const path = put('a.jsonl', `\uFEFF${JSON.stringify({ text })}\r\n\n{"text":"last"}`);
    assert.deepEqual(await rows(path, 'jsonl'), [
      { id: null, text },
      { id: null, text: 'last' },
    ]);
  });

  it('ends at its limit, from any first row', async () => {
    const path = put('limit.txt', Array.from({ length: 10 }, (_, i) => `text ${i}`).join('\n'));
    const texts = async (limit: number, first: number) =>
      (await rows(path, 'txt', { limit }, first)).map(({ text }) => text);
    assert.deepEqual(await texts(3, 0), ['text 0', 'text 1', 'text 2']);
    assert.deepEqual(await texts(3, 2), ['text 2']);
    assert.deepEqual(await texts(3, 3), []);
    const input = await Input.open({
      path,
      format: 'txt',
      text: [],
      id: null,
      emptyWhenMissing: false,
      limit: 3,
    });
    assert.equal((await input.survey()).rows, 3);
    assert.equal(input.weight, 18);
  });

  it('is read from compressed files, nested fields and several columns', async () => {
    const path = put('b.jsonl.gz', gzipSync('{"doc":{"title":"T","body":"B"},"n":7}\n'));
    assert.deepEqual(await rows(path, 'jsonl', { text: ['doc.title', 'doc.body'], id: 'n' }), [
      { id: '7', text: 'T\nB' },
    ]);
  });

  it('follows RFC 4180 for quotes and line breaks in CSV', async () => {
    const path = put('c.csv', 'id,text\r\n1,"a, ""b""\nc"\r\n2,d\r\n');
    assert.deepEqual(await rows(path, 'csv'), [
      { id: '1', text: 'a, "b"\nc' },
      { id: '2', text: 'd' },
    ]);
  });

  it('is read from Parquet by row group, from any row', async () => {
    const data = Array.from({ length: 25 }, (_, i) => `text ${i}`);
    const buffer = parquetWriteBuffer({
      columnData: [
        { name: 'text', data },
        { name: 'other', data },
      ],
      rowGroupSize: 10,
    });
    const path = put('d.parquet', new Uint8Array(buffer));
    assert.deepEqual(
      (await rows(path, 'parquet')).map(({ text }) => text),
      data,
    );
    assert.deepEqual(
      (await rows(path, 'parquet', {}, 13)).map(({ text }) => text),
      data.slice(13),
    );
    await assert.rejects(
      rows(path, 'parquet', { text: ['title'] }),
      /no column title \(there are: text, other\)/,
    );
    await assert.rejects(rows(put('e.parquet', 'PAR1'), 'parquet'), /not a complete Parquet file/);
  });

  it('takes missing texts as empty only on request', async () => {
    const path = put('f.jsonl', '{"text":null}\n{"text":"x"}\n');
    await assert.rejects(rows(path, 'jsonl'), /f\.jsonl:1: text is null/);
    assert.equal((await rows(path, 'jsonl', { emptyWhenMissing: true }))[0]?.text, '');
  });

  it('takes time linear in a long line, in any number of pieces', async () => {
    const pieces = function* (count: number) {
      for (let i = 0; i < count; i++) yield Buffer.alloc(16_384, 'a');
      yield Buffer.from('\nb');
    };
    const read = async (count: number): Promise<readonly number[]> => {
      const lengths: number[] = [];
      for await (const { lines } of linesOf(Readable.from(pieces(count)), 'x')) {
        lengths.push(...lines.map(line => line.length));
      }
      return lengths;
    };
    const before = process.cpuUsage();
    // Put together anew with each piece these would be 60 GB.
    assert.deepEqual(await read(3800), [3800 * 16_384, 1]);
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 4e6, `${(user + system) / 1e6} s`);
    await assert.rejects(read(4100), /x:1: the line has more than 64 MiB/);
  });

  it('is refused as a line of a compressed file, too', async () => {
    const path = put('long.jsonl.gz', gzipSync(Buffer.alloc(70 * 1024 * 1024, 'a'), { level: 1 }));
    await assert.rejects(rows(path, 'jsonl'), /long\.jsonl\.gz:1: the line has more than 64 MiB/);
  });

  it('is a regular file: nothing waits for a pipe or reads a device', async function () {
    if (process.platform === 'win32') this.skip();
    const pipe = join(work.path, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const format of ['jsonl', 'csv', 'txt'] as const) {
      await assert.rejects(rows(pipe, format), /pipe: this is a pipe or a device; name a regular file/);
    }
    await assert.rejects(rows(pipe, 'parquet'), /it is not a regular file/);
    await assert.rejects(rows('/dev/zero', 'txt'), /pipe or a device/);
    await assert.rejects(rows('/proc/self/pagemap', 'txt'), /pipe or a device/);
    await assert.rejects(rows(work.path, 'txt'), /this is a folder/);
  });
});
