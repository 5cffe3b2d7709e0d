import assert from 'node:assert/strict';
import { analyze } from '../../../src/core/analyse/analyse';
import { target, worldWithModels } from '../core/support';
import { running } from '../dialects/support';

/** The rule's name in outputs. */
const about = { rule: 'services-share-gpu' };

describe('services of one file', () => {
  const service = (name: string, id: string): string => `  ${name}:
    image: vllm/vllm-openai:v0.11.0
    command: --model \${MODEL} --max-model-len 8192
    deploy: {resources: {reservations: {devices: [{driver: nvidia, device_ids: ["${id}"], capabilities: [gpu]}]}}}
`;
  const findings = async (second: string): Promise<readonly string[]> => {
    const text = `services:\n${service('a', '0')}${service('b', second)}`;
    const world = worldWithModels({ 'compose.yaml': text, '.env': '# models\nMODEL="Qwen/Qwen3-8B"\n' });
    const options = { target: target('A100-80GB'), severities: {} };
    const { runs } = await analyze('compose.yaml', text, world, options, running);
    assert.deepEqual(
      runs.map(({ run }) => run.quantities.model.value),
      ['Qwen/Qwen3-8B', 'Qwen/Qwen3-8B'],
      'the .env file fills in what Compose fills in',
    );
    return runs.flatMap(run => run.findings.map(({ rule }) => rule)).filter(rule => rule === about.rule);
  };

  it('on one GPU are added up', async () => {
    assert.deepEqual(await findings('0'), [about.rule]);
    assert.deepEqual(await findings('1'), []);
  });
});
