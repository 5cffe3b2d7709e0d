import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { EmbedError } from '../../src/embed/errors';
import { readManifest } from '../../src/embed/output/manifest';
import { embed, resume } from '../../src/embed/run/embed';
import { merge } from '../../src/embed/run/merge';
import { verify } from '../../src/embed/run/verify';
import { orderFor, vectorsIn, watch, workFolder, writeTexts } from '../unit/embed/folders';
import { tinyTexts, writeTinyModel } from '../unit/embed/tinyModel';

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

  it('gives each text one vector of length 1, in order, in files of a fixed number of rows', async () => {
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

  it('leaves nothing next to its files', () => {
    const left = readdirSync(at('whole')).filter(
      name => !/^(manifest\.json|shard-\d+\.(npy|ids\.jsonl))$/.test(name),
    );
    assert.deepEqual(left, []);
  });

  it('writes the same bytes for any batching and number of workers', async () => {
    const order = await orderFor(model, input, at('other'));
    await embed({ ...order, engine: { ...order.engine, workers: 2, batchTokens: 1 } }, watch());
    assert.deepEqual(await vectorsIn(at('other')), whole);
  });

  it('resumes after a stop without loss and without repeated work', async () => {
    const order = await orderFor(model, input, at('stopped'));
    const first = await embed({ ...order, engine: { ...order.engine, batchTokens: 16 } }, watch(120));
    assert.equal(first.manifest.state, 'running');
    assert.ok(first.progress.rows >= 120 && first.progress.rows < 450, String(first.progress.rows));
    const second = await resume(order, watch());
    assert.equal(second.manifest.state, 'complete');
    assert.deepEqual(await vectorsIn(at('stopped')), whole);
    const tokens = (shards: readonly { tokens: number | null }[]) =>
      shards.reduce((sum, each) => sum + (each.tokens ?? 0), 0);
    assert.equal(second.progress.tokens + first.progress.tokens, tokens(second.manifest.shards));
  });

  it('recomputes what the journal names but the disk lacks', async () => {
    const order = await orderFor(model, input, at('torn'));
    let part: string | undefined;
    while (part === undefined) {
      // A stop may come between two files, and then leaves nothing incomplete.
      rmSync(at('torn'), { recursive: true, force: true });
      await embed({ ...order, engine: { ...order.engine, batchTokens: 16 } }, watch(130));
      part = readdirSync(at('torn')).find(name => name.endsWith('.part') && !name.includes('ids'));
    }
    const bytes = readFileSync(join(at('torn'), part));
    bytes.fill(0, 256, 256 + 10 * 128);
    writeFileSync(join(at('torn'), part), bytes);
    appendFileSync(join(at('torn'), part.replace('.part', '.journal')), '{"rows":[1,2');
    await resume(order, watch());
    assert.deepEqual(await vectorsIn(at('torn')), whole);
  });

  it('resumes only with the same model and texts, and only once at a time', async () => {
    const order = await orderFor(model, input, at('same'));
    await embed({ ...order, engine: { ...order.engine, batchTokens: 16 } }, watch(50));
    const other = await orderFor(writeTinyModel(at('model2'), 2), input, at('same'));
    await fails(resume(other, watch()), 'changed', /another model \(model, model2\)/);
    const longer = writeTexts(at('model2'), 451);
    const changed = { ...order, input: { ...order.input, path: longer } };
    await fails(resume(changed, watch()), 'changed', /begun with another input/);
    await fails(embed(order, watch()), 'bad-output', /headroom resume/);
    const both = await Promise.allSettled([resume(order, watch()), resume(order, watch())]);
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.deepEqual(await vectorsIn(at('same')), whole);
  });

  it('splits an input into parts that merge to the same files in any order', async () => {
    const folders: string[] = [];
    for (let index = 0; index < 4; index++) {
      const order = await orderFor(model, input, at(`parts/${index}`), {
        part: { index, of: 4 },
        rowsPerShard: 10,
      });
      const { manifest } = await embed(order, watch());
      assert.equal(manifest.rows, index < 2 ? 113 : 112);
      folders.push(order.folder);
    }
    const merging = { progress: () => undefined };
    await merge({ ...merging, folders: folders.toReversed(), out: at('merged'), rowsPerShard: 100 });
    for (const name of readdirSync(at('whole')).filter(each => each.startsWith('shard-'))) {
      assert.ok(readFileSync(at(`merged/${name}`)).equals(readFileSync(at(`whole/${name}`))), name);
    }
    const found = await verify(at('merged'), { rows: 450, dimensions: 32 });
    assert.deepEqual(found.flaws, []);
    assert.equal(found.repeatedIds, 0);
    await fails(
      merge({ ...merging, folders: folders.slice(1), out: at('less') }),
      'bad-output',
      /Rows 0 to 112 are missing/,
    );
    const twice = [...folders, at('parts/3')];
    await fails(
      merge({ ...merging, folders: twice, out: at('less') }),
      'bad-output',
      /in another folder, too/,
    );
    await merge({ ...merging, folders: [at('parts')], out: at('one') });
    const one = await readManifest(at('one'));
    assert.deepEqual(
      [one?.shards.length, one?.shards[0]?.rows, one?.shards[0]?.cut],
      [1, 450, tinyTexts(450).filter(text => text.split(' ').length > 10).length],
    );
  });

  it('writes the same vectors as safetensors and as Parquet', async () => {
    for (const format of ['safetensors', 'parquet'] as const) {
      await embed(await orderFor(model, input, at(format), { format }), watch());
      assert.deepEqual((await verify(at(format), { rows: 450 })).flaws, []);
      await merge({
        folders: [at(format)],
        out: at(`${format}-npy`),
        format: 'npy',
        rowsPerShard: 100,
        progress: () => undefined,
      });
      assert.deepEqual(await vectorsIn(at(`${format}-npy`)), whole);
      const ids = readFileSync(at(`${format}-npy/shard-00004.ids.jsonl`), 'utf8')
        .trim()
        .split('\n');
      assert.deepEqual([ids.length, ids[49]], [50, '"t449"']);
    }
  });

  it('reports an incomplete output if a file was cut, changed or lost', async () => {
    await merge({ folders: [at('whole')], out: at('damaged'), rowsPerShard: 100, progress: () => undefined });
    const flaws = async () => (await verify(at('damaged'), { rows: 451 })).flaws.join('\n');
    truncateSync(at('damaged/shard-00001.npy'), 5000);
    const bytes = readFileSync(at('damaged/shard-00002.npy'));
    bytes.writeFloatLE(NaN, 256 + 4 * 40);
    writeFileSync(at('damaged/shard-00002.npy'), bytes);
    rmSync(at('damaged/shard-00003.npy'));
    appendFileSync(at('damaged/shard-00004.ids.jsonl'), '"more"\n');
    const said = await flaws();
    assert.match(said, /450 rows, not 451/);
    assert.match(said, /shard-00001\.npy: it ends after 37 of 100 rows/);
    assert.match(said, /shard-00002\.npy: it holds vectors that are not finite/);
    assert.match(said, /shard-00002\.npy: its content was changed/);
    assert.match(said, /shard-00003\.npy: the file is missing/);
    assert.match(said, /shard-00004\.ids\.jsonl: it has more ids than there are rows/);
  });

  /** A copy of the whole output, damaged. */
  const damagedCopy = (name: string, damage: (file: (shard: string) => string) => void): string => {
    cpSync(at('whole'), at(name), { recursive: true });
    damage(shard => join(at(name), shard));
    return at(name);
  };
  const manifestOf = (folder: string) =>
    JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Record<string, unknown> & {
      shards: object[];
    };

  const DAMAGES: Readonly<Record<string, (file: (shard: string) => string) => void>> = {
    cut: file => truncateSync(file('shard-00001.npy'), 5000),
    flipped: file => {
      const bytes = readFileSync(file('shard-00002.npy'));
      bytes[700] = (bytes[700] ?? 0) ^ 1;
      writeFileSync(file('shard-00002.npy'), bytes);
    },
    deleted: file => rmSync(file('shard-00003.npy')),
    'replaced by a device': file => {
      rmSync(file('shard-00000.npy'));
      symlinkSync('/dev/zero', file('shard-00000.npy'));
    },
    'replaced by a pipe': file => {
      rmSync(file('shard-00000.npy'));
      execFileSync('mkfifo', [file('shard-00000.npy')]);
    },
    'with other ids': file => appendFileSync(file('shard-00004.ids.jsonl'), '"more"\n'),
    'said to be shorter than its texts': file => {
      const manifest = manifestOf(file('.'));
      writeFileSync(
        file('manifest.json'),
        JSON.stringify({ ...manifest, rows: 400, shards: manifest.shards.slice(0, -1) }),
      );
    },
  };
  for (const [what, damage] of Object.entries(DAMAGES)) {
    it(`${what}, is reported and repaired by running again`, async function () {
      if (process.platform === 'win32') this.skip();
      const folder = damagedCopy(what.replaceAll(' ', '-'), damage);
      const found = await verify(folder, {});
      assert.notDeepEqual(found.flaws, []);
      const order = await orderFor(model, input, folder);
      let damaged: readonly string[] = [];
      await resume(order, { ...watch(), started: facts => (damaged = facts.damaged) });
      assert.equal(damaged.length, what.startsWith('said') ? 0 : 1);
      assert.deepEqual((await verify(folder, { rows: 450 })).flaws, []);
      assert.deepEqual(await vectorsIn(folder), whole);
    });
  }

  it("never leaves the manifest's folder, whatever the manifest names", async () => {
    for (const file of ['../whole/shard-00000.npy', '/etc/passwd', 'manifest.json']) {
      const folder = damagedCopy('hostile', () => undefined);
      const manifest = manifestOf(folder);
      const [first, ...rest] = manifest.shards;
      writeFileSync(
        join(folder, 'manifest.json'),
        JSON.stringify({ ...manifest, shards: [{ ...first, file }, ...rest] }),
      );
      await fails(verify(folder, {}), 'bad-output', /not a manifest that this version/);
    }
  });
});
