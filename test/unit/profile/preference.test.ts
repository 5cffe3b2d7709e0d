import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { analyze } from '../../../src/core/analyse/analyse';
import { follow } from '../../../src/profile/follow';
import { worldWithModels } from '../core/support';

describe('dry runs of pairs', () => {
  it('are of those releases of trl whose step they have', async () => {
    const name = 'trl-dpo.yaml';
    const text = readFileSync(`test/fixtures/profile/${name}`, 'utf8');
    const world = worldWithModels({ [name]: text });
    const analysis = await analyze(name, text, world, { target: null, severities: {} }, { aborted: false });
    const [one] = analysis.runs;
    assert.ok(one?.model);
    const { run, model } = one;
    const isFollowed = (version: string): boolean => {
      const released = { ...run, framework: { ...run.framework, version } };
      const config = { kind: 'transformers', config: {} } as const;
      return follow(released, model, config, { cacheFolder: 'none', layers: 'auto' }).ok;
    };
    const releases = ['0.28.0', '1.5.1', '1.6.0', '1.10.0', '1.13.0', '1.14.2', '1.15.0', '1.16.0'];
    assert.deepEqual(releases.filter(isFollowed), ['1.6.0', '1.10.0', '1.13.0', '1.15.0', '1.16.0']);
  });
});
