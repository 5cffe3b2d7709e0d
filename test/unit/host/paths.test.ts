import assert from 'node:assert/strict';
import { corePath, uriParts } from '../../../src/host/paths';

const file = (path: string, authority = '') => ({ scheme: 'file', authority, path });

describe('paths of uris', () => {
  it('are the plain path on POSIX', () => {
    assert.equal(corePath(file('/home/me/a b.yaml')), '/home/me/a b.yaml');
  });

  it('begin with the drive on Windows', () => {
    assert.equal(corePath(file('/c:/runs/a.yaml')), 'c:/runs/a.yaml');
  });

  it('keep the server of a network share', () => {
    assert.equal(corePath(file('/share/a.yaml', 'nas')), 'file://nas/share/a.yaml');
  });

  it('keep scheme and authority of other file systems', () => {
    const remote = { scheme: 'vscode-vfs', authority: 'github', path: '/me/repo/a.yaml' };
    assert.equal(corePath(remote), 'vscode-vfs://github/me/repo/a.yaml');
  });

  it('put an untitled document where it would be saved', () => {
    assert.equal(corePath({ scheme: 'untitled', authority: '', path: '/ws/new.yaml' }), '/ws/new.yaml');
  });

  it('put a nameless document into the workspace folder', () => {
    const untitled = { scheme: 'untitled', authority: '', path: 'Untitled-1' };
    assert.equal(corePath(untitled, '/ws'), '/ws/Untitled-1');
    assert.equal(corePath(untitled), 'untitled://Untitled-1');
  });

  it('lead back to the same file', () => {
    const all = [
      file('/home/me/a b.yaml'),
      file('/c:/runs/a.yaml'),
      file('/share/a.yaml', 'nas'),
      { scheme: 'vscode-vfs', authority: 'github', path: '/me/repo/a.yaml' },
      { scheme: 'vscode-remote', authority: 'ssh-remote+host', path: '/me/a.yaml' },
    ];
    for (const uri of all) assert.deepEqual(uriParts(corePath(uri)), uri);
  });
});
