import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NEVER, outputOf, Place, request } from './support';

const PYTHON = process.platform === 'win32' ? 'python' : 'python3';

const has = (module: string): boolean => {
  try {
    execFileSync(PYTHON, ['-c', `import ${module}`], { stdio: 'ignore', timeout: 60_000 });
    return true;
  } catch {
    return false;
  }
};

/** Plain Python behavior: prints without flushing, is interrupted, and reports it. */
const PLAIN = `import time
for step in range(1, 1000):
    print(f"step {step}/1000 loss {1 / step:.4f}")
    time.sleep(0.05)
`;

describe('a job in Python', function () {
  this.timeout(120_000);
  const place = new Place();
  const { jobs } = place;
  after(() => place.remove());
  const start = (name: string, text: string) => {
    writeFileSync(join(place.folder, name), text);
    return jobs.start(request('', { argv: [PYTHON, name], folder: place.folder }), {}, NEVER);
  };

  it('prints while it runs, and is interrupted as by Ctrl-C', async function () {
    if (!has('time') || process.platform === 'win32') return this.skip();
    const { id } = await start('plain.py', PLAIN);
    let last: number | undefined;
    await new Promise<void>(done => {
      const end = jobs.follow(id, ({ progress }) => {
        last = progress?.step;
        if ((last ?? 0) < 3) return;
        end();
        done();
      });
    });
    const { state, exit } = await jobs.stop(id, NEVER);
    assert.equal(state, 'stopped');
    assert.ok(exit?.signal === 'SIGINT' || exit?.code === 130 || exit?.code === 1, JSON.stringify(exit));
    assert.match(await outputOf(jobs, id), /KeyboardInterrupt/);
  });
});
