import assert from 'node:assert/strict';
import { Followers } from '../../../src/editor/followers';

describe('followers of files', () => {
  const followers = new Followers<string>();
  followers.set('lora', ['/w/model/config.json', '/w/ds.json']);
  followers.set('sweep', ['/w/parts/']);

  it('follow a file, or the names in a folder', () => {
    assert.deepEqual(followers.of('/w/ds.json'), ['lora']);
    assert.deepEqual(followers.of('/w/parts/new.yaml'), ['sweep']);
    assert.deepEqual(followers.of('/w/other.json'), []);
    assert.deepEqual(followers.of('/w/model'), []);
  });

  it('include files below a new folder', () => {
    assert.deepEqual(followers.below('/w/model'), ['lora']);
    assert.deepEqual(followers.below('/w/parts'), ['sweep']);
    assert.deepEqual(followers.below('/w/mod'), []);
    assert.deepEqual(followers.below('/w/ds.json'), []);
  });

  it('name the folders in which something is followed', () => {
    assert.deepEqual([...followers.folders()].sort(), ['/w', '/w/model', '/w/parts']);
  });

  it('can be forgotten', () => {
    const few = new Followers<string>();
    few.set('a', ['/a/b']);
    few.set('a', []);
    assert.deepEqual([...few.folders()], []);
  });
});
