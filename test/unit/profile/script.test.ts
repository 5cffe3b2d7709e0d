import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { converse } from '../../../src/profile/script';
import { NEVER } from '../../../src/core/signal';

/** What is said if Headroom's script in the user's Python does this instead of an answer. */
async function saidIf(shell: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-script-'));
  const script = join(folder, 'start.sh');
  writeFileSync(script, shell);
  const conversation = { request: {}, folder, timeoutMs: 10_000, progress: () => undefined };
  try {
    return await converse({ executable: '/bin/sh', script }, conversation, NEVER).then(
      () => assert.fail('It answered.'),
      (error: unknown) => String(error),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('a Python that ends without an answer', () => {
  it('was killed from outside, which has two reasons', async () => {
    assert.match(
      await saidIf('echo step 1 >&2; kill -9 $$'),
      /\/bin\/sh was killed \(SIGKILL\): by another process, or because host RAM ran out\.$/,
    );
  });

  it('has an exit code and a last line', async () => {
    assert.match(
      await saidIf('echo a >&2; echo b >&2; exit 7'),
      /ended without an answer \(exit code 7\): b\.$/,
    );
  });
});
