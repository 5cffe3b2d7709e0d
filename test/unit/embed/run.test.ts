import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmbedError } from '../../../src/embed/errors';
import { readManifest } from '../../../src/embed/output/manifest';
import { embed, resume } from '../../../src/embed/run/embed';
import { orderFor, vectorsIn, watch, workFolder, writeTexts } from './folders';
import { writeTinyModel } from './tinyModel';

const fails = (work: Promise<unknown>, fault: string, words: RegExp) =>
  assert.rejects(work, (error: unknown) => {
    assert.ok(error instanceof EmbedError, String(error));
    assert.equal(error.fault, fault);
    assert.match(error.message, words);
    return true;
  });

describe('embed: a run', () => {
  const work = workFolder();
  after(work.remove);
  const model = writeTinyModel(join(work.path, 'model'));
  const input = writeTexts(work.path, 450);
  const at = (name: string): string => join(work.path, name);
  let whole: Float32Array[] = [];

  before(async () => {
    await embed(await orderFor(model, input, at('whole')), watch());
    whole = await vectorsIn(at('whole'));
  });

  it('gives each text one vector of length 1, in order, in files of so many rows', async () => {
    const manifest = await readManifest(at('whole'));
    assert.equal(manifest?.state, 'complete');
    assert.deepEqual(
      manifest.shards.map(({ firstRow, rows }) => [firstRow, rows]),
      [0, 100, 200, 300, 400].map(first => [first, first === 400 ? 50 : 100]),
    );
    assert.equal(whole.length, 450);
    for (const vector of whole) assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5);
    const ids = readFileSync(at('whole/shard-00002.ids.jsonl'), 'utf8').trim().split('\n');
    assert.deepEqual(ids.slice(0, 2), ['"t200"', '"t201"']);
  });

  it('leaves nothing beside its files', () => {
    const left = readdirSync(at('whole')).filter(
      name => !/^(manifest\.json|shard-\d+\.(npy|ids\.jsonl))$/.test(name),
    );
    assert.deepEqual(left, []);
  });

  it('gives the same bytes however texts are batched and however many work', async () => {
    const order = await orderFor(model, input, at('other'));
    await embed({ ...order, engine: { ...order.engine, workers: 2, batchTokens: 1 } }, watch());
    assert.deepEqual(await vectorsIn(at('other')), whole);
  });

  it('goes on after a stop without loss and without a second calculation of what was there', async () => {
    const order = await orderFor(model, input, at('stopped'));
    const first = await embed({ ...order, engine: { ...order.engine, batchTokens: 16 } }, watch(120));
    assert.equal(first.manifest.state, 'running');
    assert.ok(first.progress.rows >= 120 && first.progress.rows < 450, String(first.progress.rows));
    const second = await resume(order, watch());
    assert.equal(second.manifest.state, 'complete');
    assert.deepEqual(await vectorsIn(at('stopped')), whole);
    const tokens = (shards: readonly { tokens: number }[]) =>
      shards.reduce((sum, each) => sum + each.tokens, 0);
    assert.equal(second.progress.tokens + first.progress.tokens, tokens(second.manifest.shards));
  });

  it('calculates again what a journal names and the disk does not have', async () => {
    const order = await orderFor(model, input, at('torn'));
    await embed({ ...order, engine: { ...order.engine, batchTokens: 16 } }, watch(130));
    const part = readdirSync(at('torn')).find(name => name.endsWith('.part') && !name.includes('ids')) ?? '';
    const bytes = readFileSync(join(at('torn'), part));
    bytes.fill(0, 256, 256 + 10 * 128);
    writeFileSync(join(at('torn'), part), bytes);
    appendFileSync(join(at('torn'), part.replace('.part', '.journal')), '{"rows":[1,2');
    await resume(order, watch());
    assert.deepEqual(await vectorsIn(at('torn')), whole);
  });

  it('goes on only with the same model and the same texts, and alone', async () => {
    const order = await orderFor(model, input, at('same'));
    await embed({ ...order, engine: { ...order.engine, batchTokens: 16 } }, watch(50));
    const other = await orderFor(writeTinyModel(at('model2'), 2), input, at('same'));
    await fails(resume(other, watch()), 'changed', /another model \(model, model2\)/);
    const longer = writeTexts(at('model2'), 451);
    const changed = { ...order, input: { ...order.input, path: longer } };
    await fails(resume(changed, watch()), 'changed', /not the input/);
    await fails(embed(order, watch()), 'bad-output', /headroom resume/);
    const both = await Promise.allSettled([resume(order, watch()), resume(order, watch())]);
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.deepEqual(await vectorsIn(at('same')), whole);
  });

  it('splits an input into parts that follow one another', async () => {
    const parts: Float32Array[] = [];
    for (let index = 0; index < 4; index++) {
      const order = await orderFor(model, input, at(`part${index}`), { part: { index, of: 4 } });
      const { manifest } = await embed(order, watch());
      assert.equal(manifest.rows, index < 2 ? 113 : 112);
      parts.push(...(await vectorsIn(at(`part${index}`))));
    }
    assert.deepEqual(parts, whole);
  });
});
