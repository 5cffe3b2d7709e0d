import assert from 'node:assert/strict';
import { axolotl, judge } from './support';

/** The framework of a run with a file next to its config. */
async function frameworkWith(name: string, text: string) {
  const { runs } = await judge({ 'config.yaml': axolotl({ gradient_checkpointing: true }), [name]: text });
  return runs[0]?.run.framework ?? assert.fail();
}

describe("releases next to a trainer's config", () => {
  it('are what the run has, and named as the origin', async () => {
    const own = await frameworkWith('requirements.txt', 'axolotl==0.8.1\ntorch==2.6.0\n');
    assert.deepEqual(
      [own.version, own.libraries?.['torch'], own.stated, own.from],
      ['0.8.1', '2.6.0', true, 'requirements.txt'],
    );
    const models = await frameworkWith('uv.lock', '[[package]]\nname = "transformers"\nversion = "4.44.2"\n');
    assert.deepEqual(
      [models.libraries?.['transformers'], models.stated, models.from],
      ['4.44.2', true, 'transformers 4.44.2 of uv.lock'],
    );
  });

  it('of other libraries alone do not state the code that trains', async () => {
    const torch = await frameworkWith('Dockerfile', 'FROM pytorch/pytorch:2.4.1-cuda12.1-cudnn9-devel\n');
    assert.deepEqual([torch.libraries?.['torch'], torch.stated], ['2.4.1', undefined]);
  });

  it('change the number where code differs', async () => {
    const config = axolotl({ flash_attention: false, sdp_attention: true, micro_batch_size: 1 });
    const peaks = await Promise.all(
      ['4.44.2', '4.57.0'].map(async release => {
        const files = { 'config.yaml': config, 'requirements.txt': `transformers==${release}\n` };
        return (await judge(files)).runs[0]?.estimate?.devices[0]?.device.expected ?? 0;
      }),
    );
    assert.notEqual(peaks[0], peaks[1]);
  });
});
