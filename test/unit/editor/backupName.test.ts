import assert from 'node:assert/strict';
import { backupName } from '../../../src/editor/optimize/backupName';

describe('backup names', () => {
  it('count up from the plain one', () => {
    const names = [0, 1, 2, 10].map(n => backupName('/conf/config.yaml', n));
    assert.deepEqual(names, [
      '/conf/config.yaml.backup',
      '/conf/config.yaml.backup.1',
      '/conf/config.yaml.backup.2',
      '/conf/config.yaml.backup.10',
    ]);
  });
});
