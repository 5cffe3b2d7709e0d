import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { axolotl } from '../unit/core/support';
import { billOf, npmManifest } from '../../scripts/lib/npmPackage.mjs';
import { file, folder, inTemporaryFolder } from './headroom';

inTemporaryFolder();

const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** Packs into a new folder below the temporary one. */
function packed(name: string): string {
  const out = join(folder(), name);
  const { status, stderr } = spawnSync(process.execPath, ['scripts/packageNpm.mjs', `--out=${out}`], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return out;
}

const digest = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

describe('the npm package', function () {
  this.timeout(300_000);

  it('works when it is installed from nothing, and is the same bytes when built again', () => {
    const [one, two] = [packed('one'), packed('two')];
    const names = readdirSync(one);
    assert.equal(names.length, 2);
    for (const name of names) assert.equal(digest(join(one, name)), digest(join(two, name)), name);

    const home = join(folder(), 'home');
    const place = join(folder(), 'place');
    for (const path of [home, place]) mkdirSync(path);
    const env = { PATH: process.env['PATH'], HOME: home, NO_COLOR: '1' };
    const tarball = names.find(name => name.endsWith('.tgz')) ?? '';
    const install = ['install', '--offline', '--no-audit', '--no-fund', join(one, tarball)];
    const installed = spawnSync(NPM, install, { cwd: place, env, encoding: 'utf8' });
    assert.equal(installed.status, 0, installed.stderr);
    // Nothing else comes with it.
    assert.deepEqual(
      readdirSync(join(place, 'node_modules')).filter(name => !name.startsWith('.')),
      ['gpu-headroom'],
    );

    file('place/a.yaml', axolotl({ micro_batch_size: 64 }));
    const command = resolve(place, 'node_modules/.bin/headroom');
    const headroom = (...args: readonly string[]) =>
      spawnSync(command, args, { cwd: place, env, encoding: 'utf8' });
    const checked = headroom('check', 'a.yaml', '--gpu', '24GB');
    assert.equal(checked.status, 1, checked.stderr);
    assert.match(checked.stdout, /does not fit/);
    assert.equal(headroom('guard', '--gpu', '24GB', '--', 'ls').status, 0);
    const embedded = headroom('embed', 'a.yaml');
    assert.notEqual(embedded.status, 0);
    assert.doesNotMatch(embedded.stderr, /\n {4}at /);

    const own = join(place, 'node_modules/gpu-headroom');
    for (const part of ['dist/extension.js', 'dist/webview', 'dist/panel.js']) {
      assert.ok(!existsSync(join(own, part)), part);
    }
    const bill = JSON.parse(readFileSync(join(own, 'sbom.cdx.json'), 'utf8')) as {
      bomFormat: string;
      components: { name: string }[];
    };
    assert.equal(bill.bomFormat, 'CycloneDX');
    assert.ok(bill.components.some(({ name }) => name === 'commander'));
  });

  it('has a manifest and a bill of materials without addresses and dates', () => {
    const manifest = npmManifest(
      { name: 'a', version: '1.0.0', private: true, main: 'x.js', engines: { vscode: '1', node: '>=20' } },
      { description: 'd', engine: { native: '1.2.3' } },
    );
    assert.deepEqual(manifest['engines'], { node: '>=20' });
    assert.deepEqual(manifest['peerDependenciesMeta'], { native: { optional: true } });
    assert.ok(!('private' in manifest) && !('main' in manifest));
    const component = (name: string) => ({
      'bom-ref': name,
      name,
      purl: `pkg:npm/${name}`,
      externalReferences: [{}],
    });
    const bill = billOf(
      {
        serialNumber: 'urn:uuid:1',
        metadata: { timestamp: 'now', component: { 'bom-ref': 'own' } },
        components: [component('b'), component('a'), component('unused')],
        dependencies: [{ ref: 'own', dependsOn: ['a', 'unused'] }, { ref: 'unused' }],
      },
      ['a', 'c/node_modules/b'],
    );
    assert.deepEqual(bill, {
      metadata: { component: { 'bom-ref': 'own' } },
      components: ['a', 'b'].map(name => ({ 'bom-ref': name, name, purl: `pkg:npm/${name}` })),
      dependencies: [{ ref: 'own', dependsOn: ['a'] }],
    });
  });
});
