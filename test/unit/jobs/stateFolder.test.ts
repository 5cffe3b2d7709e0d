import assert from 'node:assert/strict';
import { stateFolder, whyNoState } from '../../../src/jobs/stateFolder';

describe('the folder of job records', () => {
  it('is the requested one, or a sentence says why not', () => {
    assert.equal(stateFolder({ HEADROOM_STATE: '/big/disk' }, 'linux', '/home/a'), '/big/disk');
    assert.equal(whyNoState({ HEADROOM_STATE: '/big/disk' }), null);
    for (const relative of ['state', './state', '../state', '~/state']) {
      assert.match(whyNoState({ HEADROOM_STATE: relative }) ?? '', /is not an absolute path\. Set it to /);
    }
  });

  it('is the default if none is requested', () => {
    for (const none of [{}, { HEADROOM_STATE: '' }]) {
      assert.equal(whyNoState(none), null);
      assert.equal(stateFolder(none, 'linux', '/home/a'), '/home/a/.local/state/headroom');
    }
    assert.equal(
      stateFolder({ XDG_STATE_HOME: 'relative' }, 'linux', '/home/a'),
      '/home/a/.local/state/headroom',
    );
    assert.equal(stateFolder({ XDG_STATE_HOME: '/x' }, 'linux', '/home/a'), '/x/headroom');
  });
});
