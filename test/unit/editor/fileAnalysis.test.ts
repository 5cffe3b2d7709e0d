import assert from 'node:assert/strict';
import { analysed } from './runs';

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

describe('what the editor keeps of an analysis', () => {
  it('has no syntax trees: they are large, and go between threads', async () => {
    const { analysis } = await analysed('/ws/lora.yml', files);
    const sources = analysis.runs.flatMap(({ run }) => run.sources);
    assert.ok(sources.length >= 2);
    for (const { yaml } of sources) assert.deepEqual(yaml.documents, []);
  });

  it('can be sent to another thread and is the same there', async () => {
    const kept = await analysed('/ws/lora.yml', files);
    assert.deepEqual(structuredClone(kept), kept);
  });

  it('has the texts of the other files, for places in them', async () => {
    const { texts } = await analysed('/ws/lora.yml', files);
    assert.deepEqual(texts, { '/ws/ds.json': files['/ws/ds.json'] });
  });

  it('knows where each run begins', async () => {
    const text = `${CONFIG}---\n${CONFIG}`;
    const { anchors } = await analysed('/ws/two.yml', { ...files, '/ws/two.yml': text });
    const first = CONFIG.indexOf('base_model');
    assert.deepEqual(
      anchors.map(anchor => anchor?.start),
      [first, CONFIG.length + '---\n'.length + first],
    );
  });
});
