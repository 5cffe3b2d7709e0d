import assert from 'node:assert/strict';
import { catalogPlaces, machinePlaces, typePlace } from '../../../src/core/compare/place';
import { suitablePlaces } from '../../../src/core/plan/places/suitable';
import { frameworkIdOf } from '../../../src/core/spec/frameworkId';
import { axolotl, judged, target, theGpus } from '../core/support';

const types = catalogPlaces(theGpus, null);

describe('the types that a run is offered', () => {
  const offered = async (id: string | null, name: string, accelerator: string | null = null) => {
    const { run } = await judged(axolotl());
    const quantities = {
      ...run.quantities,
      accelerator:
        accelerator === null
          ? run.quantities.accelerator
          : {
              value: accelerator,
              origin: { kind: 'derived' as const, from: ['accelerator'], formula: 'stated' },
            },
    };
    const framework = { ...run.framework, id: id === null ? null : frameworkIdOf(id), name };
    return suitablePlaces(types, { ...run, framework, quantities });
  };
  const makersOf = async (...args: Parameters<typeof offered>) => {
    const { places } = await offered(...args);
    return [...new Set(places.map(({ target: { gpu } }) => gpu?.vendor))].sort();
  };

  it('are those that its framework runs on, and it says which are left out', async () => {
    const { left } = await offered('vllm', 'vLLM');
    assert.equal(left, 'Apple GPUs and TPUs are left out: vLLM runs on NVIDIA, AMD and Intel GPUs.');
    assert.deepEqual(await makersOf('vllm', 'vLLM'), ['AMD', 'Intel', 'NVIDIA']);
    assert.deepEqual(await makersOf('megatron-lm', 'Megatron-LM'), ['AMD', 'NVIDIA']);
    assert.deepEqual(await makersOf('transformers', 'transformers'), ['AMD', 'Apple', 'Intel', 'NVIDIA']);
    const own = await offered(null, '');
    assert.equal(own.left, 'TPUs are left out: PyTorch runs on NVIDIA, AMD, Intel and Apple GPUs.');
  });

  it('are TPUs for JAX, and for a config that asks for them', async () => {
    assert.deepEqual(await makersOf('maxtext', 'MaxText'), ['AMD', 'NVIDIA', 'other']);
    const tpu = await offered(null, '', 'tpu');
    assert.ok(tpu.places.every(({ target: { gpu } }) => gpu?.vendor === 'other'));
    assert.equal(tpu.left, 'NVIDIA, AMD, Intel and Apple GPUs are left out: accelerator tpu runs on TPUs.');
  });

  it('include whatever is here, and amounts of memory', async () => {
    const { run } = await judged(axolotl());
    const here = machinePlaces('local', { id: 'local', name: '' }, [target('TPU v4')], null);
    const kept = suitablePlaces([...here, typePlace(target('24GB'))], run);
    assert.equal(kept.places.length, 2);
    assert.equal(kept.left, null);
  });
});
