import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { tries } from '../tries';
import { inputOf, KINDS } from './inputs';

const TOOL = 'out/test/fuzz/fuzz.tool.js';
/** What a whole run may take; the inputs that are left then are not looked at. */
const MOST_SECONDS = 50;
const SEED = 18;

describe('hostile inputs', function () {
  this.timeout(120_000);

  it('are the same for the same seed', () => {
    for (const kind of KINDS) assert.deepEqual(inputOf(SEED, kind), inputOf(SEED, kind));
    assert.notDeepEqual(inputOf(SEED, 'yaml'), inputOf(SEED + 1, 'yaml'));
  });

  it('never hang, abort or break anything, and views show them only as text', async () => {
    const args = [TOOL, '--seed', String(SEED), '--count', String(tries(60)), '--for', String(MOST_SECONDS)];
    const { code, stdout } = await new Promise<{ code: number; stdout: string }>(done => {
      execFile(process.execPath, args, { maxBuffer: 2 ** 24 }, (error, out) =>
        done({ code: Number(error?.code ?? 0), stdout: out }),
      );
    });
    assert.equal(code, 0, stdout);
    assert.match(stdout, /, 0 findings;/);
  });

  it('refuse an unknown kind', async () => {
    const code = await new Promise(done => {
      execFile(process.execPath, [TOOL, '--kind', 'x'], error => done(error?.code));
    });
    assert.equal(code, 3);
  });
});
