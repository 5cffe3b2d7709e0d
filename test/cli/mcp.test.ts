import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { axolotl } from '../unit/core/support';

const GPU = { gpu: '24GB' };
/** Characters of a token, roughly: what answers and descriptions are limited by. */
const PER_TOKEN = 4;

let at = '';
let client: Client | null = null;

interface Told {
  readonly text: string;
  readonly isError: boolean;
}

/** A client of its own; `agrees` answers its user's questions, null: it can't ask. */
async function connected(agrees: boolean | null, roots: readonly string[] | null = null): Promise<string[]> {
  const asked: string[] = [];
  const capabilities = {
    ...(agrees === null ? {} : { elicitation: {} }),
    ...(roots === null ? {} : { roots: {} }),
  };
  client = new Client({ name: 'test', version: '1' }, { capabilities });
  if (agrees !== null) {
    client.setRequestHandler(ElicitRequestSchema, ({ params: { message } }) => {
      asked.push(message);
      return { action: agrees ? ('accept' as const) : ('decline' as const), content: {} };
    });
  }
  if (roots !== null) {
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: roots.map(root => ({ uri: pathToFileURL(root).href })),
    }));
  }
  const env = { PATH: '', HOME: at, XDG_STATE_HOME: join(at, 'state') };
  const args = [resolve('dist/cli.js'), 'mcp'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: at, env }));
  return asked;
}

async function call(name: string, args: Readonly<Record<string, unknown>>): Promise<Told> {
  assert.ok(client);
  const { content, isError } = await client.callTool({ name, arguments: { ...args } });
  const [first] = content as { type: string; text: string }[];
  assert.ok(first && first.text.length <= 800 * PER_TOKEN, `${first?.text.length}`);
  return { text: first.text, isError: isError === true };
}

describe('headroom mcp', () => {
  beforeEach(() => {
    at = mkdtempSync(join(tmpdir(), 'headroom-mcp-'));
    writeFileSync(join(at, 'a.yaml'), axolotl());
  });
  afterEach(async () => {
    await client?.close();
    client = null;
    rmSync(at, { recursive: true, force: true });
  });

  it('has seven tools in at most 1,500 tokens, and says which of them only read', async () => {
    await connected(null);
    const { tools } = (await client?.listTools()) ?? { tools: [] };
    const names = tools.map(({ name }) => name);
    assert.deepEqual(names, ['check', 'explain', 'plan', 'apply', 'where', 'gpus', 'jobs']);
    assert.ok(JSON.stringify(tools).length / PER_TOKEN <= 1500);
    const changing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true);
    assert.deepEqual(
      changing.map(({ name }) => name),
      ['apply', 'jobs'],
    );
  });

  it('has the tools that the manifest gives to language models', async () => {
    await connected(null);
    const { tools } = (await client?.listTools()) ?? { tools: [] };
    const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
      readonly contributes: { readonly languageModelTools: readonly Record<string, unknown>[] };
    };
    assert.deepEqual(
      manifest.contributes.languageModelTools.map(({ name, modelDescription, inputSchema }) => [
        name,
        modelDescription,
        inputSchema,
      ]),
      tools.map(({ name, description, inputSchema }) => [
        `headroom_${name}`,
        description,
        Object.fromEntries(Object.entries(inputSchema).filter(([key]) => key !== '$schema')),
      ]),
    );
  });

  it('checks a file, a folder, a command and a text', async () => {
    await connected(null);
    const file = await call('check', { path: 'a.yaml', ...GPU });
    assert.match(
      file.text,
      /^a\.yaml: ≈ .* GB of 24 GB · does not fit \(.* GB of device memory per GPU\)\n[^]*Next: plan/,
    );
    assert.equal((await call('check', { path: '.', ...GPU })).text.split('\n')[0], file.text.split('\n')[0]);
    const served = { command: 'vllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len 32768', ...GPU };
    assert.match((await call('check', served)).text, /GB of 24 GB · /);
    assert.match((await call('check', { text: axolotl(), ...GPU })).text, /does not fit/);
    assert.match((await call('check', { text: 'a: 1' })).text, /^No run that Headroom can read/);
  });

  it('answers the next call that it names for a command, too', async () => {
    await connected(null);
    const served = { command: 'vllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len 32768', gpu: '18GB' };
    assert.match((await call('check', served)).text, /does not fit[^]*Next: plan/);
    assert.match(
      (await call('plan', served)).text,
      /\n1\. [^]*Next: change the command, and check it again\.$/,
    );
    assert.match((await call('explain', served)).text, /^command\.sh: [^]*\n {2}model: Qwen/);
    assert.match((await call('where', { command: served.command, gpu: 'H200' })).text, /H200/);
    assert.match((await call('plan', GPU)).text, /^Give a path or a command\.$/);
  });

  it('explains values with their origins, and plans without changing anything', async () => {
    await connected(null);
    const { text } = await call('explain', { path: 'a.yaml', ...GPU });
    assert.match(text, /\n {2}micro-batch size: 8 samples \(.*line 8\)\n/);
    assert.match((await call('plan', { path: 'a.yaml', ...GPU })).text, /\n1\. .*\n {3}a\.yaml: .* -> /);
    assert.match((await call('plan', { path: 'a.yaml' })).text, /No target GPU/);
    assert.equal(readFileSync(join(at, 'a.yaml'), 'utf8'), axolotl());
  });

  it('applies a plan only after the user has agreed', async () => {
    const plan = { path: 'a.yaml', plan: 1, ...GPU };
    await connected(null);
    assert.match((await call('apply', plan)).text, /cannot ask the user/);
    await client?.close();
    const declined = await connected(false);
    assert.match((await call('apply', plan)).text, /^The user declined/);
    assert.match(declined[0] ?? '', /^Change a\.yaml\?\n/);
    assert.equal(readFileSync(join(at, 'a.yaml'), 'utf8'), axolotl());
    await client?.close();
    await connected(true);
    const { text, isError } = await call('apply', plan);
    assert.ok(!isError && text.startsWith('Changed a.yaml (backup '), text);
    assert.doesNotMatch((await call('check', { path: 'a.yaml', ...GPU })).text, /does not fit/);
  });

  it('reads nothing outside the roots of the client', async () => {
    const inside = join(at, 'inside');
    mkdirSync(inside);
    writeFileSync(join(inside, 'b.yaml'), axolotl());
    symlinkSync(join(at, 'a.yaml'), join(inside, 'link.yaml'));
    await connected(true, [inside]);
    assert.ok(!(await call('check', { path: 'b.yaml', ...GPU })).isError);
    for (const path of [join(at, 'a.yaml'), '../a.yaml', 'link.yaml', '/etc/passwd']) {
      const { text, isError } = await call('check', { path, ...GPU });
      assert.ok(isError && text.includes('outside the workspace'), `${path}: ${text}`);
    }
    for (const command of [`axolotl train ${join(at, 'a.yaml')}`, 'axolotl train ../a.yaml']) {
      for (const name of ['check', 'explain', 'plan', 'where']) {
        assert.doesNotMatch((await call(name, { command, ...GPU })).text, /GB/, `${name} ${command}`);
      }
    }
    assert.match((await call('check', { command: 'axolotl train b.yaml', ...GPU })).text, /does not fit/);
    assert.match((await call('jobs', { action: 'stop', job: '--all' })).text, /Give the id of a job/);
  });

  it('answers where, gpus and jobs', async () => {
    await connected(null);
    assert.match((await call('where', { path: 'a.yaml', gpu: 'H200' })).text, /H200/);
    assert.match((await call('gpus', {})).text, /No GPU found/);
    assert.match((await call('jobs', { action: 'list' })).text, /No jobs/);
  });
});
