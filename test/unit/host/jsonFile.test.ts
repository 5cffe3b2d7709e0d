import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JsonFile } from '../../../src/host/jsonFile';

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
