import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmbedError } from '../../../src/embed/errors';
import { writeManifest } from '../../../src/embed/output/manifest';
import type { Manifest } from '../../../src/embed/output/manifest';
import { workFolder } from './folders';

describe('the manifest of an embedding', () => {
  it('says why the disk does not take it', async () => {
    const { path, remove } = workFolder();
    const file = join(path, 'file');
    writeFileSync(file, '');
    const failed = await writeManifest(file, {} as Manifest).catch((error: unknown) => error);
    remove();
    assert.ok(failed instanceof EmbedError, String(failed));
    assert.equal(failed.message, `${file}: a part of the path is not a folder; choose another path.`);
  });
});
