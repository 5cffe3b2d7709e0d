import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { axolotl } from '../unit/core/support';
import { answeredInTerminal, file, folder, headroom, inTemporaryFolder } from './headroom';

inTemporaryFolder();

const profile = (...args: readonly string[]): ReturnType<typeof headroom> => headroom('profile', ...args);

describe('headroom profile', () => {
  it('exports measurements as lines and as a table, and forgets them on request', () => {
    file('a.yaml', axolotl());
    file('b.yaml', axolotl({ base_model: 'another/model' }));
    assert.equal(profile('a.yaml', '--measured', '19.8GB', '--gpu', '24GB').code, 0);
    assert.equal(profile('a.yaml', '--measured', '26.5GB', '--batch', '64').code, 0);
    assert.equal(profile('b.yaml', '--measured', '7GB').code, 0);
    const { code, out } = profile('a.yaml', '--export', 'all.jsonl');
    assert.equal(code, 0);
    assert.match(out, /Exported 3 measurements to all\.jsonl/);
    const kept = join(folder(), '.headroom/measurements.jsonl');
    assert.equal(readFileSync(join(folder(), 'all.jsonl'), 'utf8'), readFileSync(kept, 'utf8'));
    profile('a.yaml', '--export', 'all.csv');
    assert.equal(readFileSync(join(folder(), 'all.csv'), 'utf8').trim().split('\r\n').length, 4);
    assert.match(profile('a.yaml', '--forget').out, /^Deleted 2 measurements from /);
    assert.match(readFileSync(kept, 'utf8'), /^[^\n]*"b\.yaml"[^\n]*\n$/);
  });

  it('writes nothing to places that are not writable, and names them', () => {
    file('a.yaml', axolotl());
    const { code, err } = profile('a.yaml', '--export', 'nowhere/all.csv');
    assert.equal(code, 3);
    assert.match(err, /^--export nowhere\/all\.csv: not writable/);
    assert.equal(existsSync(join(folder(), 'nowhere')), false);
  });

  it('runs no program that nobody has agreed to, and asks for a command where there is none', () => {
    const { code, err } = profile('--', 'python3', 'train.py', '--lr', '1');
    assert.equal(code, 3);
    assert.match(err, /python3 train\.py --lr 1\n(?:.*\n)*Add --yes to run this program\./);
    assert.match(profile('--program').err, /Give a config, or a command after --\./);
    file('a.yaml', axolotl());
    assert.match(profile('a.yaml', '--probe', '--', 'python', 't.py').err, /^Choose one of --dry-run/);
  });

  it('does not fail if the person at the terminal declines', function () {
    if (process.platform !== 'linux') return this.skip(); // whose script makes a terminal
    const { code, out } = answeredInTerminal('n', 'profile', '--', 'python3', 'train.py');
    assert.match(out, /Run it\? \[y\/N\][^]*Nothing was run\./);
    assert.equal(code, 2);
  });
});
