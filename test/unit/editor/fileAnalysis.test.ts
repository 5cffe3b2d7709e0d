import assert from 'node:assert/strict';
import { analyzed } from './runs';

const CONFIG = [
  '# a run',
  'base_model: org/model',
  'adapter: lora',
  'lora_r: 8',
  'lora_target_linear: true',
  'sequence_len: 512',
  'micro_batch_size: 1',
  'gradient_accumulation_steps: 4',
  'deepspeed: ds.json',
  '',
].join('\n');

const files = { '/ws/lora.yml': CONFIG, '/ws/ds.json': '{ "zero_optimization": { "stage": 2 } }\n' };

describe('an analysis for the editor', () => {
  it('has no syntax trees, which are large and would be sent between threads', async () => {
    const { analysis } = await analyzed('/ws/lora.yml', files);
    const sources = analysis.runs.flatMap(({ run }) => run.sources);
    assert.ok(sources.length >= 2);
    for (const { yaml } of sources) assert.deepEqual(yaml.documents, []);
  });

  it('can be sent to another thread unchanged', async () => {
    const kept = await analyzed('/ws/lora.yml', files);
    assert.deepEqual(structuredClone(kept), kept);
  });

  it('has the texts of the other files, to locate places in them', async () => {
    const { texts } = await analyzed('/ws/lora.yml', files);
    assert.deepEqual(texts, { '/ws/ds.json': files['/ws/ds.json'] });
  });

  it('knows where each run begins', async () => {
    const text = `${CONFIG}---\n${CONFIG}`;
    const { anchors } = await analyzed('/ws/two.yml', { ...files, '/ws/two.yml': text });
    const first = CONFIG.indexOf('base_model');
    assert.deepEqual(
      anchors.map(anchor => anchor?.start),
      [first, CONFIG.length + '---\n'.length + first],
    );
  });
});
