import assert from 'node:assert/strict';
import { pipelineModel, pipelineOfFile } from '../../../src/core/models/pipelines';
import table from '../../../src/core/models/singleFiles.json';

describe('models: files in which pipelines are published', () => {
  it('are all of pipelines that are known', () => {
    for (const [name, row] of Object.entries<{ readonly in: string; readonly of?: string }>(table.files)) {
      assert.ok(pipelineModel(row.of ?? row.in), name);
      const found = pipelineOfFile(`models/${name}.safetensors`);
      assert.equal(found?.sameAs, row.of ?? row.in, name);
      assert.equal(found.source, 'name');
    }
  });

  it('are known by their whole name only', () => {
    assert.equal(
      pipelineOfFile('C:\\models\\v1-5-pruned-emaonly.ckpt')?.sameAs,
      'stable-diffusion-v1-5/stable-diffusion-v1-5',
    );
    for (const name of [
      'sd_xl_base_1.0',
      'my_sd_xl_base_1.0.safetensors',
      'sd_xl_base_1.0_lora.safetensors',
      'x.safetensors',
    ]) {
      assert.equal(pipelineOfFile(name), null, name);
    }
  });
});
