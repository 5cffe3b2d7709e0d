import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import MiniSearch from 'minisearch';
import { axolotl } from '../unit/core/support';

/** What people say, by the tool that answers it. */
const PHRASINGS: Readonly<Record<string, readonly string[]>> = {
  check: [
    'does train.yaml fit in GPU memory',
    'will this command line fit on a 24GB GPU',
    'check every config of this folder for memory',
    'is the expected memory of this script too large',
    'verdict for this vllm serve command',
    'can I start this config without running out of memory',
    'expected memory of this config text',
    'check whether lora.yaml fits',
  ],
  explain: [
    'why does this run need so much GPU memory',
    'what are the largest terms of the memory of this run',
    'where does the value of this setting come from',
    'explain the memory of this run',
    'explain each value with its origin',
    'why does it need 60 GB',
  ],
  plan: [
    'which changes would make the run fit',
    'what edits make this run faster',
    'plan changes for a larger batch',
    'which changes make this config fit without applying them',
    'suggest edits and their effect',
    'how to make it fit',
  ],
  apply: [
    'apply plan 1 to the config',
    'make the edits of the first plan',
    'apply the edits in the config and keep a backup',
    'change the config as the plan says, with a backup',
    'apply it',
  ],
  where: [
    'on which GPUs does this run fit',
    'which GPU could I rent for this run',
    'what does it cost per hour to rent a GPU for it',
    'cheapest GPUs to rent where it fits',
    'where does it fit and what do they cost',
  ],
  gpus: [
    'what is the temperature of the GPUs',
    'load of this machine GPUs now',
    'how much memory is in use on this machine',
    'show the gpus of this machine',
    'is a GPU in use now',
  ],
  jobs: [
    'list the jobs',
    'show the logs of the last job',
    'stop the job',
    'start a job with Headroom',
    'which jobs started',
  ],
};

let at = '';
let client: Client | null = null;

async function connected(): Promise<Client> {
  client = new Client({ name: 'agent', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept' as const, content: {} }));
  const env = { PATH: '', HOME: at, XDG_STATE_HOME: join(at, 'state') };
  const args = [resolve('dist/cli.js'), 'mcp'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: at, env }));
  return client;
}

async function told(name: string, args: Readonly<Record<string, unknown>>): Promise<string> {
  const { content, isError } = (await client?.callTool({ name, arguments: { ...args } })) ?? {};
  const [{ text }] = content as [{ text: string }];
  assert.notEqual(isError, true, text);
  return text;
}

describe('an agent with headroom mcp', function () {
  this.timeout(300_000);
  beforeEach(() => {
    at = mkdtempSync(join(tmpdir(), 'headroom-agent-'));
  });
  afterEach(async () => {
    await client?.close();
    client = null;
    rmSync(at, { recursive: true, force: true });
  });

  it('fixes three configs: checks, plans, applies, and checks again', async () => {
    const gpu = { gpu: '24GB' };
    const configs = {
      'batch.yaml': axolotl(),
      'long.yaml': axolotl({ micro_batch_size: 2, sequence_len: 8192 }),
      'large.yaml': axolotl({ micro_batch_size: 8, gradient_accumulation_steps: 1 }),
    };
    for (const [name, text] of Object.entries(configs)) writeFileSync(join(at, name), text);
    await connected();
    const before = await told('check', { path: '.', ...gpu });
    for (const [name, text] of Object.entries(configs)) {
      assert.match(before, new RegExp(name.replace('.', '\\.')));
      assert.match(await told('check', { path: name, ...gpu }), /does not fit/);
      assert.match(await told('plan', { path: name, ...gpu }), /1/);
      await told('apply', { path: name, plan: 1, ...gpu });
      assert.notEqual(readFileSync(join(at, name), 'utf8'), text);
      assert.equal(readFileSync(join(at, `${name}.backup`), 'utf8'), text);
      assert.doesNotMatch(await told('check', { path: name, ...gpu }), /does not fit/);
    }
  });

  // By words alone, as no model is here: weak evidence, but a description without the users' words fails it.
  it('finds the tool for what people say, by the words of the descriptions', async () => {
    const { tools } = await (await connected()).listTools();
    const index = new MiniSearch({ idField: 'name', fields: ['name', 'description', 'inputs'] });
    index.addAll(
      tools.map(({ name, description, inputSchema }) => ({
        name,
        description,
        inputs: JSON.stringify(inputSchema),
      })),
    );
    const all = Object.entries(PHRASINGS).flatMap(([name, said]) => said.map(text => ({ name, text })));
    assert.equal(all.length, 40);
    const wrong = all.filter(({ name, text }) => {
      const [first] = index.search(text, { boost: { name: 3, description: 2 }, prefix: true });
      return first?.id !== name;
    });
    assert.ok(wrong.length <= 6, JSON.stringify(wrong));
  });
});
