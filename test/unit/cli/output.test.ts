import assert from 'node:assert/strict';
import { faultReporter, whyFailed } from '../../../src/cli/output';

describe('cli: failures', () => {
  const kept = process.env['HEADROOM_DEBUG'];
  afterEach(() => {
    if (kept === undefined) delete process.env['HEADROOM_DEBUG'];
    else process.env['HEADROOM_DEBUG'] = kept;
  });

  const fault = new TypeError('a fault');

  it('are told by their reason, and with HEADROOM_DEBUG=1 by their stack', () => {
    delete process.env['HEADROOM_DEBUG'];
    assert.equal(whyFailed(fault), 'a fault');
    assert.equal(whyFailed('no error'), 'no error');
    process.env['HEADROOM_DEBUG'] = '1';
    assert.match(whyFailed(fault), /^TypeError: a fault\n +at .*output\.test/);
  });

  it('of rules are told once for each rule', () => {
    delete process.env['HEADROOM_DEBUG'];
    const lines: string[] = [];
    const tell = faultReporter(line => lines.push(line));
    for (const rule of ['one', 'one', 'two']) tell({ rule, file: 'a.yaml', error: fault });
    assert.deepEqual(lines, [
      'headroom: the rule one failed on a.yaml: a fault\n',
      'headroom: the rule two failed on a.yaml: a fault\n',
    ]);
  });
});
