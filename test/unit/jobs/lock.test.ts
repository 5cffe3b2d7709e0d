import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryLock } from '../../../src/jobs/lock';
import { tries } from '../../tries';

const TIMES = tries(100);

describe('a lock', () => {
  it('has one owner at a time, even if it is released while somebody checks its owner', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headroom-lock-'));
    let [owners, most, taken] = [0, 0, 0];
    const worker = async (): Promise<void> => {
      while (taken < TIMES) {
        const release = await tryLock(join(folder, 'a.lock'));
        if (!release) continue;
        taken += 1;
        owners += 1;
        most = Math.max(most, owners);
        await new Promise(done => setImmediate(done));
        owners -= 1;
        await release();
      }
    };
    await Promise.all(Array.from({ length: 6 }, worker));
    assert.equal(most, 1);
    assert.deepEqual(readdirSync(folder), []);
    rmSync(folder, { recursive: true });
  });
});
