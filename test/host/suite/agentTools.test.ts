import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { fileOf, until, writeFile } from './ask';

const TOOLS = ['apply', 'check', 'explain', 'gpus', 'jobs', 'plan', 'where'].map(name => `headroom_${name}`);

const CONFIG = [
  'base_model: meta-llama/Llama-3.1-8B',
  'datasets: [{ path: tatsu-lab/alpaca, type: alpaca }]',
  'sequence_len: 8192',
  'micro_batch_size: 16',
  'adapter: lora',
  'lora_r: 16',
  'bf16: true',
].join('\n');

/** What a model would read. */
async function told(name: string, input: object): Promise<string> {
  const options = { input, toolInvocationToken: undefined };
  const { content } = await vscode.lm.invokeTool(`headroom_${name}`, options);
  return content.map(part => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('\n');
}

describe('tools of language models', function () {
  this.timeout(120_000);

  before(() => writeFile('agent.yaml', CONFIG));
  after(() => vscode.workspace.fs.delete(fileOf('agent.yaml')));

  it('are all there, with the schemas of the server', async () => {
    const tools = await until('tools', () => {
      const found = vscode.lm.tools.filter(({ name }) => name.startsWith('headroom_'));
      return Promise.resolve(found.length === TOOLS.length && found);
    });
    assert.deepEqual(tools.map(({ name }) => name).toSorted(), TOOLS);
  });

  it('answer as the command line does', async () => {
    const answer = await told('check', { path: 'agent.yaml', gpu: '24GB' });
    assert.match(answer, /agent\.yaml.* GB of 24 GB · does not fit \(.* of device memory per GPU\)/);
    assert.match(answer, /Next: plan/);
    assert.match(await told('explain', { path: 'agent.yaml', gpu: '24GB' }), /Largest at the peak/);
    assert.match(await told('jobs', { action: 'list' }), /job/i);
  });

  it('read nothing outside the workspace', async () => {
    assert.match(await told('check', { path: '/etc/passwd' }), /outside/);
  });

  it('change what was confirmed, with a backup', async () => {
    // VS Code agrees to confirmations by itself in tests. A call whose question it was not given changes nothing.
    const answer = await told('apply', { path: 'agent.yaml', plan: 1, gpu: '24GB' });
    assert.match(answer, /^Changed agent\.yaml \(backup agent\.yaml\.backup\)\./);
    const read = async (path: string): Promise<string> =>
      new TextDecoder().decode(await vscode.workspace.fs.readFile(fileOf(path)));
    assert.equal(await read('agent.yaml.backup'), CONFIG);
    assert.notEqual(await read('agent.yaml'), CONFIG);
    await vscode.workspace.fs.delete(fileOf('agent.yaml.backup'));
  });
});
