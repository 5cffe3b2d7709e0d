import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatasetRef } from '../../../src/core/spec/dataset';
import type { RawRecord } from '../../../src/embed/input/records';
import { RowTexts } from '../../../src/lengths/rowTexts';
import { openRenderer } from '../../../src/lengths/templates';
import type { Renderer, RendererSetup } from '../../../src/lengths/templates';
import { workFolder } from '../../unit/embed/folders';

const WORKER = join(process.cwd(), 'dist/templateWorker.js');
const chat: DatasetRef = { path: 'x', files: [], template: 'chat', columns: {} };
const talk = (...said: readonly string[]): RawRecord => ({
  line: 1,
  fields: { messages: said.map((content, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content })) },
});

describe('lengths: rows by a chat template', () => {
  const work = workFolder();
  const open: Renderer[] = [];
  afterEach(async () => {
    for (const renderer of open.splice(0)) await renderer.stop();
  });
  after(work.remove);

  async function renderer(
    text: string,
    limits: Pick<RendererSetup, 'limitMs' | 'mostHeapMb'> = {},
  ): Promise<Renderer> {
    const folder = join(work.path, String(open.length));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'tokenizer_config.json'), '{"bos_token": "<s>", "eos_token": "</s>"}');
    writeFileSync(join(folder, 'chat_template.jinja'), text);
    const setup = { workerFile: WORKER, nowMs: 0, limitMs: 60_000, ...limits };
    const opened = await openRenderer(join(folder, 'tokenizer.json'), setup);
    assert.ok(opened);
    open.push(opened);
    return opened;
  }

  const strict = () => renderer(readFileSync('test/fixtures/lengths/strict.jinja', 'utf8'));

  async function rowsOf(by: Renderer, records: readonly RawRecord[], ref = chat) {
    const texts = new RowTexts(undefined, by);
    const rows = await texts.of(records, ref);
    return { rows: rows.map(row => row?.text), use: texts.use, isMarked: texts.isMarked };
  }

  it('are written by it, in their order', async () => {
    const records = Array.from({ length: 600 }, (_, i) => talk(`q${i}`, `a${i}`));
    const { rows, use, isMarked } = await rowsOf(await strict(), records);
    assert.deepEqual(
      rows,
      records.map((_, i) => `<s>[INST] q${i} [/INST] a${i}</s>`),
    );
    assert.deepEqual(use, { rendered: 600, refused: 0, why: null });
    assert.equal(isMarked, false);
  });

  it('have marks where it refuses them, which is said', async () => {
    const refused: RawRecord = { line: 1, fields: { messages: [{ role: 'system', content: 'Be brief.' }] } };
    const { rows, use, isMarked } = await rowsOf(await strict(), [talk('q', 'a'), refused]);
    assert.deepEqual(rows, ['<s>[INST] q [/INST] a</s>', 'system\nBe brief.\n\n']);
    assert.deepEqual(use, { rendered: 1, refused: 1, why: 'System role not supported' });
    assert.equal(isMarked, true);
  });

  it('have marks where the config names another template, or there are no messages', async () => {
    const by = await strict();
    const { rows, use } = await rowsOf(by, [talk('q', 'a')], { ...chat, ownTemplate: 'llama3' });
    assert.deepEqual([rows, use], [['user\nq\n\nassistant\na\n\n'], null]);
    assert.deepEqual((await rowsOf(by, [talk('q')], { ...chat, template: 'none' })).rows, ['q']);
  });

  it('have marks, all of them, where it does not end', async () => {
    const forever = '{% for a in range(1000000) %}{% for b in range(1000000) %}{% endfor %}{% endfor %}';
    const many = Array.from({ length: 300 }, () => talk('q'));
    const { rows, use } = await rowsOf(await renderer(forever, { limitMs: 500 }), many);
    assert.deepEqual([rows.length, new Set(rows)], [300, new Set(['user\nq\n\n'])]);
    assert.deepEqual(use, { rendered: 0, refused: 300, why: 'it does not end' });
  });

  it('have marks where it takes all memory, which is its thread’s', async () => {
    const more = '{% set ns.x = ns.x + [(messages[0].content ~ a) | upper] %}';
    const full = `{% set ns = namespace(x=[]) %}{% for a in range(100000) %}${more}{% endfor %}`;
    const { use } = await rowsOf(await renderer(full, { mostHeapMb: 64 }), [talk('q'.repeat(1 << 20))]);
    assert.equal(use?.refused, 1);
    assert.match(use.why ?? '', /memory limit/);
  });

  it('have none where the tokenizer has none', async () => {
    const setup = { workerFile: WORKER, nowMs: 0 };
    assert.equal(await openRenderer(join(work.path, 'nothing/tokenizer.json'), setup), null);
  });
});
