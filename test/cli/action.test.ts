import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { axolotl } from '../unit/core/support';
import { file, folder, inTemporaryFolder } from './headroom';
import { checkoutOf } from './repository';

inTemporaryFolder();

interface Comment {
  readonly id: number;
  readonly node_id: string;
  readonly user: { readonly type: string };
  body: string;
  hidden?: boolean;
}

/** As much of GitHub's API as the action uses, with the comments of one pull request. */
class FakeGitHub {
  readonly comments: Comment[] = [];
  readonly calls: string[] = [];
  refuses = false;
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      let text = '';
      request.on('data', (piece: Buffer) => (text += piece.toString()));
      request.on('end', () => {
        const { status, body } = this.answer(request.method ?? '', request.url ?? '', text);
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(body === null ? '' : JSON.stringify(body));
      });
    });
  }

  async open(): Promise<string> {
    await new Promise<void>(done => this.server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
  }

  add(body: string, type = 'Bot'): void {
    const id = this.comments.length + 1;
    this.comments.push({ id, node_id: `n${id}`, user: { type }, body });
  }

  private answer(method: string, url: string, text: string): { status: number; body: unknown } {
    this.calls.push(`${method} ${url.replace(/\?.*/, '')}`);
    if (this.refuses && method !== 'GET') {
      return { status: 403, body: { message: 'Resource not accessible' } };
    }
    const given = JSON.parse(text === '' ? '{}' : text) as { body?: string; variables?: { id: string } };
    const one = this.comments.find(({ id }) => url.endsWith(`/issues/comments/${id}`));
    if (url === '/graphql') {
      const hidden = this.comments.find(({ node_id }) => node_id === given.variables?.id);
      if (hidden) hidden.hidden = true;
      return { status: 200, body: { data: {} } };
    }
    if (one && method === 'PATCH') one.body = given.body ?? '';
    else if (one && method === 'DELETE') this.comments.splice(this.comments.indexOf(one), 1);
    else if (method === 'POST') this.add(given.body ?? '');
    else return { status: 200, body: this.comments };
    return { status: method === 'DELETE' ? 204 : 200, body: method === 'DELETE' ? null : {} };
  }
}

interface Step {
  readonly if?: string;
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly outputs: string;
}

const GITHUB = new FakeGitHub();
let address = '';

/** The steps of action.yml, as a runner starts them: in a checkout of a bare repository. */
async function act(given: Readonly<Record<string, string>>, base: string, head: string): Promise<Run> {
  const { inputs, runs } = parse(readFileSync('action.yml', 'utf8')) as Action;
  const values = Object.fromEntries(
    Object.entries(inputs).map(([name, one]) => [name, given[name] ?? one.default ?? '']),
  );
  const valueOf = (text: string): string =>
    text.replace(/\$\{\{ (?:inputs\.([\w-]+)|github\.token) \}\}/g, (_, name?: string) =>
      name ? (values[name] ?? '') : 't',
    );
  writeFileSync(
    join(folder(), 'event.json'),
    JSON.stringify({ pull_request: { number: 7, base: { sha: base }, head: { sha: head } } }),
  );
  writeFileSync(join(folder(), 'outputs'), '');
  let out = '';
  for (const step of runs.steps) {
    if (step.if === "inputs.sarif != ''" && values['sarif'] === '') continue;
    const env = {
      PATH: process.env['PATH'],
      HOME: folder(),
      GITHUB_ACTION_PATH: resolve('.'),
      GITHUB_EVENT_PATH: join(folder(), 'event.json'),
      GITHUB_OUTPUT: join(folder(), 'outputs'),
      GITHUB_API_URL: address,
      GITHUB_GRAPHQL_URL: `${address}/graphql`,
      GITHUB_REPOSITORY: 'o/r',
      ...Object.fromEntries(Object.entries(step.env).map(([name, text]) => [name, valueOf(text)])),
    };
    const code = await new Promise<number | null>(done => {
      const child = spawn('bash', ['-e', '-c', step.run], { cwd: join(folder(), 'checkout'), env });
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (piece: Buffer) => (out += piece.toString()));
      }
      child.on('close', done);
    });
    if (code !== 0) return { code, out, outputs: readFileSync(join(folder(), 'outputs'), 'utf8') };
  }
  return { code: 0, out, outputs: readFileSync(join(folder(), 'outputs'), 'utf8') };
}

const COMMAND = JSON.stringify([process.execPath, resolve('dist/cli.js')]);
const INPUTS = { gpu: 'H100 80GB', command: COMMAND };

describe('the GitHub Action', function () {
  this.timeout(120_000);
  before(async function () {
    if (spawnSync('git', ['--version']).status === 0) address = await GITHUB.open();
    else this.skip();
  });
  after(() => GITHUB.close());

  let commits: string[] = [];

  /** Commits: a config, a larger batch, a comment, and a model that nobody knows next to a smaller batch. */
  beforeEach(() => {
    GITHUB.comments.length = 0;
    GITHUB.refuses = false;
    commits = checkoutOf([
      axolotl(),
      axolotl({ micro_batch_size: 64 }),
      `# more\n${axolotl({ micro_batch_size: 64 })}`,
    ]);
  });

  it('says what got worse: a comment, an annotation, outputs and its exit code', async () => {
    const [base = '', head = ''] = commits;
    const { code, out, outputs } = await act(INPUTS, base, head);
    assert.equal(code, 1);
    assert.match(out, /^::error file=a\.yaml,title=GPU memory::does not fit on H100 SXM, ≈ [\d.]+ GB$/m);
    assert.equal(outputs, 'changed=true\nworse=1\n');
    assert.equal(GITHUB.comments.length, 1);
    assert.match(GITHUB.comments[0]?.body ?? '', /^<!-- headroom-diff -->\n\n### GPU memory: 1 run changed/);
  });

  it('says nothing if nothing changed, and takes back what is no longer true', async () => {
    const [base = '', head = '', same = ''] = commits;
    assert.equal((await act(INPUTS, head, same)).code, 0);
    assert.equal(GITHUB.comments.length, 0);
    await act(INPUTS, base, head);
    await act(INPUTS, head, same);
    assert.equal(GITHUB.comments.length, 1);
    assert.match(GITHUB.comments[0]?.body ?? '', /No run needs more or less GPU memory/);
  });

  it('keeps one comment in each mode as it says, and leaves those of people alone', async () => {
    const [base = '', head = ''] = commits;
    GITHUB.add('<!-- headroom-diff -->\nwritten by a person', 'User');
    await act(INPUTS, base, head);
    GITHUB.calls.length = 0;
    await act(INPUTS, base, head);
    assert.ok(!GITHUB.calls.some(call => !call.startsWith('GET')), 'the same comment is not written again');
    assert.equal(GITHUB.comments.length, 2);
    await act({ ...INPUTS, comment: 'new' }, base, head);
    assert.equal(GITHUB.comments.length, 3);
    await act({ ...INPUTS, comment: 'hide-and-new' }, base, head);
    assert.deepEqual(
      GITHUB.comments.map(({ hidden = false }) => hidden),
      [false, true, true, false],
    );
    await act({ ...INPUTS, comment: 'delete-and-new' }, base, head);
    assert.deepEqual(
      GITHUB.comments.map(({ user }) => user.type),
      ['User', 'Bot'],
    );
    GITHUB.comments.length = 0;
    await act({ ...INPUTS, comment: 'off' }, base, head);
    assert.deepEqual(GITHUB.comments, []);
  });

  it('warns if it may not write, refuses bad inputs in one line, and writes SARIF', async () => {
    const [base = '', head = ''] = commits;
    GITHUB.refuses = true;
    const refused = await act(INPUTS, base, head);
    assert.match(refused.out, /^::warning::The comment could not be written: POST answered 403\./m);
    assert.equal(refused.code, 1);
    const wrong = await act({ ...INPUTS, comment: 'always' }, base, head);
    assert.deepEqual([wrong.code, wrong.out.split('\n').length], [3, 2]);
    const unknown = await act({ ...INPUTS, base: 'nothing' }, base, head);
    assert.match(
      unknown.out,
      /^::error::headroom diff: nothing: neither a folder nor a Git revision here\.$/m,
    );
    await act({ ...INPUTS, sarif: 'found.sarif', comment: 'off' }, base, head);
    const sarif = JSON.parse(readFileSync(join(folder(), 'checkout/found.sarif'), 'utf8')) as {
      version: string;
    };
    assert.equal(sarif.version, '2.1.0');
  });
});

describe('the pre-commit hook', () => {
  it('refuses configs that do not fit, and only these', () => {
    const [hook] = parse(readFileSync('.pre-commit-hooks.yaml', 'utf8')) as {
      entry: string;
      files: string;
    }[];
    assert.ok(hook);
    file('large.yaml', axolotl({ micro_batch_size: 64 }));
    file('unknown.yaml', axolotl({ base_model: 'nobody/knows-it' }));
    mkdirSync(join(folder(), 'bin'));
    const npx = join(folder(), 'bin/npx');
    writeFileSync(npx, `#!/bin/sh\nshift 2\nexec "${process.execPath}" "${resolve('dist/cli.js')}" "$@"\n`);
    chmodSync(npx, 0o755);
    const env = { PATH: `${join(folder(), 'bin')}:${process.env['PATH'] ?? ''}`, HOME: folder() };
    const code = (name: string): number | null =>
      spawnSync('bash', ['-c', `${hook.entry} --gpu 24GB ${name}`], { cwd: folder(), env }).status;
    assert.deepEqual([code('large.yaml'), code('unknown.yaml')], [1, 0]);
    assert.match('a/b.yml', new RegExp(hook.files));
    assert.ok(!existsSync(join(folder(), 'checkout')));
  });
});
