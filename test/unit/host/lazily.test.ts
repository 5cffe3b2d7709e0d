import assert from 'node:assert/strict';
import { lazily } from '../../../src/host/lazily';

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
