import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyModel } from '../../../scripts/lib/engine.mjs';
import { completed, repositoryOf, webAddress } from '../../../scripts/lib/repository.mjs';
import { temporaryFolder } from '../../../scripts/lib/temporary.mjs';
import type { defaultModelFolder } from '../../../src/embed/defaultModel/ensure';

const OWN = 'https://github.com/acme/tool';

describe('the address of the repository in a package', () => {
  it('is that of the web, however git names the remote', () => {
    for (const remote of [
      'https://github.com/acme/tool.git',
      'https://token@github.com/acme/tool',
      'git@github.com:acme/tool.git\n',
      'ssh://git@github.com/acme/tool.git',
      'git+https://github.com/acme/tool.git',
    ]) {
      assert.equal(webAddress(remote), OWN, remote);
    }
    assert.equal(webAddress('https://gitlab.example.org/a/b/c'), 'https://gitlab.example.org/a/b/c');
  });

  it('is not invented from a folder or a machine without a name on the web', () => {
    for (const remote of ['/srv/tool', '../tool', 'file:///srv/tool', 'git@box:acme/tool', 'C:\\tool', '']) {
      assert.equal(webAddress(remote), null, remote);
    }
    assert.equal(repositoryOf({}, { env: {}, remote: '/srv/tool' }), null);
    assert.deepEqual(completed({}, null), {});
  });

  it('comes from the flag first, then the manifest, the job and the remote', () => {
    const job = { GITHUB_REPOSITORY: 'job/tool', GITHUB_SERVER_URL: 'https://github.com' };
    const remote = 'https://github.com/remote/tool';
    assert.equal(
      repositoryOf({ repository: { url: 'git+https://a.b/c.git' } }, { env: job }),
      'https://a.b/c',
    );
    assert.equal(repositoryOf({}, { flag: OWN, env: job, remote }), OWN);
    assert.equal(repositoryOf({}, { env: job, remote }), 'https://github.com/job/tool');
    assert.equal(repositoryOf({}, { env: {}, remote }), remote);
  });

  it('completes the manifest', () => {
    assert.deepEqual(completed({}, OWN), {
      repository: { type: 'git', url: `${OWN}.git` },
      bugs: { url: `${OWN}/issues` },
      homepage: `${OWN}#readme`,
    });
    assert.equal(completed({}, 'https://gitlab.com/a/b').bugs?.url, 'https://gitlab.com/a/b/-/issues');
  });
});

describe('the model in a package', () => {
  it('is the one that the packed program stores, which may report a download', async () => {
    const { folder, remove } = temporaryFolder('headroom-model');
    mkdirSync(join(folder, 'stored'));
    writeFileSync(join(folder, 'stored/config.json'), '{}');
    const [shipped, report]: readonly (keyof Parameters<typeof defaultModelFolder>[0])[] = [
      'shipped',
      'report',
    ];
    const program = `exports.embedding = {
      DEFAULT_MODEL: { name: 'small' },
      defaultModelFolder: places => { places.${report}(''); return Promise.resolve(places.${shipped}.replace('no-model', 'stored')); },
    };`;
    writeFileSync(join(folder, 'embed.js'), program);
    await copyModel(folder);
    assert.equal(readFileSync(join(folder, 'models/small/config.json'), 'utf8'), '{}');
    remove();
  });
});
