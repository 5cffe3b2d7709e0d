import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DisposableStore } from '../../../src/host/disposables';
import { JsonFile } from '../../../src/host/jsonFile';
import { lazily } from '../../../src/host/lazily';

describe('disposable stores', () => {
  const note = (log: string[], name: string) => ({ dispose: () => log.push(name) });

  it('end what they own in reverse order, once', () => {
    const log: string[] = [];
    const store = new DisposableStore();
    store.add(note(log, 'first'));
    store.add(note(log, 'second'));
    store.dispose();
    store.dispose();
    assert.deepEqual(log, ['second', 'first']);
  });

  it('end at once what comes too late', () => {
    const log: string[] = [];
    const store = new DisposableStore();
    store.dispose();
    store.add(note(log, 'late'));
    assert.deepEqual(log, ['late']);
  });
});

describe('lazily', () => {
  it('makes a thing once, when it is first asked for', async () => {
    let made = 0;
    const thing = lazily(() => Promise.resolve(++made));
    assert.equal(made, 0);
    assert.deepEqual(await Promise.all([thing(), thing()]), [1, 1]);
  });

  it('does not keep a failure', async () => {
    let tries = 0;
    const thing = lazily(() => (++tries === 1 ? Promise.reject(new Error('busy')) : Promise.resolve('done')));
    await assert.rejects(thing(), /busy/);
    assert.equal(await thing(), 'done');
  });
});

describe('a JSON file', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headroom-json-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('gives back what was written, and leaves nothing else behind', async () => {
    const file = new JsonFile(join(folder, 'storage/of/mine/applied.json'));
    await file.write({ a: [1, 2] });
    await file.write({ a: [3] });
    assert.deepEqual(await file.read(), { a: [3] });
    assert.deepEqual(readdirSync(join(folder, 'storage/of/mine')), ['applied.json']);
  });

  it('holds nothing while it is not there, or broken', async () => {
    const path = join(folder, 'applied.json');
    assert.equal(await new JsonFile(path).read(), null);
    writeFileSync(path, '[{');
    assert.equal(await new JsonFile(path).read(), null);
  });
});
