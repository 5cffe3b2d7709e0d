import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ownFolder } from '../../../src/jobs/files';

describe('a private folder', () => {
  it('is created once by many concurrent processes', async () => {
    const root = await mkdtemp(join(tmpdir(), 'headroom-folders-'));
    try {
      for (let round = 0; round < 20; round++) {
        const folder = join(root, String(round), 'state', 'jobs');
        // Staggered, so that one finds a parent missing while another makes it.
        const callers = Array.from({ length: 32 }, async (_, at) => {
          for (let turn = 0; turn < at; turn++) await nextTurn();
          await ownFolder(folder);
        });
        await Promise.all(callers);
        assert.ok((await stat(folder)).isDirectory());
      }
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });

  it('is refused with a sentence if the file system cannot create it', async function () {
    if (process.platform !== 'linux') this.skip();
    await assert.rejects(ownFolder('/proc/headroom/jobs'), /is not writable/);
  });
});
