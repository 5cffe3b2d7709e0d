import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { entryRequest } from '../../src/profile/entry';
import { ProfileError } from '../../src/profile/answers';
import { statedRun } from '../eval/accuracy/stated';
import { cacheFolder, NEVER, interpreter, runDry, runDryAlone } from './python';
import { converse } from '../../src/profile/script';
import type { DryRunRequest, DryRunResult } from '../../src/profile/request';

const folder = resolve('test/fixtures/profile');

function requestFor(name: string, batch: number): DryRunRequest {
  const run = statedRun(
    'own',
    { id: null, name: 'own', version: null },
    { microBatchSize: batch, gradAccum: 1 },
    {},
  );
  const entry = { entry: `own_model:${name}`, folder, settings: {}, rows: null };
  const followed = entryRequest(run, entry, { cacheFolder, layers: 'all' });
  assert.ok(followed.ok, followed.ok ? '' : followed.why.join());
  return followed.request;
}

const counted = (name: string, batch: number): Promise<DryRunResult> =>
  runDry(requestFor(name, batch), folder);

async function refusal(name: string): Promise<ProfileError> {
  try {
    await counted(name, 4);
  } catch (error) {
    assert.ok(error instanceof ProfileError);
    return error;
  }
  return assert.fail('It was followed.');
}

const WIDTH = 1024;
const PARAMETERS = 4 * (WIDTH * WIDTH + WIDTH) + 10 * WIDTH + 10;

describe('dry runs of the user’s own code @ci', () => {
  it('count weights, gradients and AdamW states of a module: 16 bytes per parameter, plus temporaries', async () => {
    const { phases, alive, parameters } = await runDryAlone(requestFor('run', 256), folder);
    assert.equal(parameters, PARAMETERS);
    const steady = alive['optimizer steady'] ?? {};
    for (const [name, bytes] of [
      ['weights', 4],
      ['gradients', 4],
      ['optimizer states', 8],
      ['temporaries', 4],
    ] as const) {
      const share = (steady[name] ?? 0) / (PARAMETERS * bytes);
      assert.ok(Math.abs(share - 1) < 0.01, `${name}: ${share}`);
    }
    assert.ok((phases['optimizer steady'] ?? 0) > (phases['backward steady'] ?? 0));
  });

  it('keep the activations of each layer: twice the rows, twice the activations', async () => {
    const [few, many] = await Promise.all([counted('run', 4096), counted('run', 8192)]);
    const activations = ({ alive }: DryRunResult): number => alive['forward steady']?.['activations'] ?? 0;
    assert.ok(Math.abs(activations(many) / activations(few) - 2) < 0.01);
    assert.ok(activations(few) >= 4 * 4096 * WIDTH * 4);
  });

  it("use a Lightning module's own step and optimizer", async () => {
    const { alive } = await counted('lightning', 64);
    assert.equal(alive['optimizer steady']?.['optimizer states'] ?? 0, 0);
    assert.ok((alive['optimizer steady']?.['gradients'] ?? 0) > 0);
  });

  it('support PEFT adapters, a converted base and tied layers', async () => {
    const { alive, parameters, trained } = await counted('adapted', 4);
    const rank = 2 * 8 * WIDTH;
    assert.equal(trained, rank);
    // The fourth layer shares the first one's weights.
    assert.equal(parameters, PARAMETERS - WIDTH * WIDTH + rank);
    const weights = alive['optimizer steady']?.['weights'] ?? 0;
    assert.ok(Math.abs(weights / (2 * (parameters - rank)) - 1) < 0.02, `${weights} bytes of weights`);
  });

  it('report that they cannot follow data-dependent code', async () => {
    const error = await refusal('looks_at_data');
    assert.equal(error.kind, 'cannot');
    assert.match(error.message, /depends on the values of tensors/);
  });

  it('report what a function has to return', async () => {
    assert.match((await refusal('returns_nothing')).message, /returned no torch module as "model"/);
    assert.match((await refusal('there_is_none')).message, /own_model has no function there_is_none/);
  });

  it('name a package that this Python lacks, with the command to install it', async () => {
    const run = converse(
      interpreter(),
      {
        request: {
          ...requestFor('run', 4),
          model: { kind: 'entry', entry: 'needs_more:run', folder, settings: {} },
        },
        folder,
        timeoutMs: 60_000,
        progress: () => undefined,
      },
      NEVER,
    );
    await assert.rejects(run, (error: ProfileError) => {
      assert.equal(error.kind, 'packages');
      assert.match(error.message, /needs package_of_nobody.*-m pip install package_of_nobody$/);
      return true;
    });
  });

  it('end everything they started when they are canceled', async () => {
    const signal = { aborted: false };
    const run = converse(
      interpreter(),
      { request: requestFor('run', 4), folder, timeoutMs: 60_000, progress: () => (signal.aborted = true) },
      signal,
    );
    await assert.rejects(run, { kind: 'aborted' });
  });
});
