// The recipes of docs/agents.md for GitLab and Bitbucket, as their runners start them: in a clone of a bare repository, with an image
// that has Node, Git and curl.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { axolotl } from '../unit/core/support';
import { folder, inTemporaryFolder } from './headroom';
import { checkoutOf, git } from './repository';

inTemporaryFolder();

const NEEDED = ['bash', 'git', 'curl'];

/** The first block of YAML below a heading of the page. */
function recipe(name: string): unknown {
  const page = readFileSync('docs/agents.md', 'utf8');
  const text = page.slice(page.indexOf(`### ${name}\n`));
  return parse(/```yaml\n([^`]*)```/.exec(text)?.[1] ?? '');
}

interface Step {
  readonly script: readonly string[];
}

const gitlab = () => (recipe('GitLab') as { headroom: Step }).headroom.script;
const bitbucket = () =>
  (
    recipe('Bitbucket') as {
      pipelines: { 'pull-requests': { '**': readonly { step: Step }[] } };
    }
  ).pipelines['pull-requests']['**'][0]?.step.script ?? [];

/** Comments of one request, in the form of both services. */
class Service {
  readonly notes: { id: number; body: string }[] = [];
  readonly calls: string[] = [];
  private readonly server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => (text += piece.toString()));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const path = url.replace(/\?.*/, '');
      this.calls.push(`${method} ${path}`);
      const isAllowed = headers['private-token'] === 's3cret' || headers.authorization === 'Bearer s3cret';
      if (!isAllowed) return void response.writeHead(401).end();
      const given = new URLSearchParams(text);
      const body = path.startsWith('/2.0/')
        ? text && (JSON.parse(text) as { content: { raw: string } }).content.raw
        : (given.get('body') ?? '');
      if (method === 'POST') this.notes.push({ id: this.notes.length + 5, body });
      const known = this.notes.find(({ id }) => path.endsWith(`/${id}`));
      if (method === 'PUT' && known) known.body = body;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(this.notes));
    });
  });

  async open(): Promise<string> {
    await new Promise<void>(done => this.server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
  }
}

const found = (program: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map(part => join(part, program))
    .find(path => existsSync(path));

/** Programs of the image `node:24`, and an `npx` that starts this build. */
function image(): string {
  const bin = join(folder(), 'bin');
  mkdirSync(bin);
  const npx = join(bin, 'npx');
  writeFileSync(npx, `#!/bin/bash\nshift 2\nexec '${process.execPath}' '${resolve('dist/cli.js')}' "$@"\n`);
  chmodSync(npx, 0o755);
  symlinkSync(process.execPath, join(bin, 'node'));
  for (const name of NEEDED) symlinkSync(found(name) ?? '', join(bin, name));
  return bin;
}

async function ran(script: readonly string[], env: Readonly<Record<string, string>>): Promise<number | null> {
  const all = { PATH: join(folder(), 'bin'), HOME: folder(), HEADROOM_TOKEN: 's3cret', ...env };
  const text = script.join('\n');
  const child = spawn(join(folder(), 'bin/bash'), ['-eo', 'pipefail', '-c', text], {
    cwd: join(folder(), 'checkout'),
    env: all,
    stdio: 'ignore',
  });
  return new Promise(done => child.on('close', done));
}

describe('recipes of docs/agents.md', function () {
  this.timeout(120_000);
  let service = new Service();
  let address = '';
  let commits: string[] = [];

  before(function () {
    if (process.platform === 'win32' || NEEDED.some(name => found(name) === undefined)) this.skip();
  });

  beforeEach(async () => {
    service = new Service();
    address = await service.open();
    image();
    commits = checkoutOf([axolotl(), axolotl({ micro_batch_size: 64 }), axolotl({ micro_batch_size: 1 })]);
  });
  afterEach(() => service.close());

  it('GitLab: one note, red where a run stopped fitting, edited when it fits again', async () => {
    const request = (base?: string, head?: string) =>
      ran(gitlab(), {
        CI_API_V4_URL: address,
        CI_PROJECT_ID: '3',
        CI_MERGE_REQUEST_IID: '7',
        CI_MERGE_REQUEST_DIFF_BASE_SHA: base ?? '',
        CI_COMMIT_SHA: head ?? '',
      });
    assert.equal(await request(commits[0], commits[1]), 1);
    assert.equal(service.notes.length, 1);
    assert.match(service.notes[0]?.body ?? '', /^<!-- headroom-diff -->[^]*does not fit/);
    assert.equal(await request(commits[0], commits[2]), 0);
    assert.equal(service.notes.length, 1);
    assert.doesNotMatch(service.notes[0]?.body ?? '', /does not fit/);
    assert.equal(service.calls.at(-1), 'PUT /projects/3/merge_requests/7/notes/5');
    assert.equal(await request(commits[0], commits[0]), 0);
  });

  it('Bitbucket: a comment, red where a run stopped fitting', async () => {
    git('-C', 'checkout', 'checkout', '-q', '-b', 'change', commits[1] ?? '');
    git('-C', 'checkout', 'update-ref', 'refs/remotes/origin/main', commits[0] ?? '');
    const script = bitbucket().map(line => line.replaceAll('https://api.bitbucket.org', address));
    const env = {
      BITBUCKET_PR_DESTINATION_BRANCH: 'main',
      BITBUCKET_REPO_FULL_NAME: 'o/r',
      BITBUCKET_PR_ID: '7',
    };
    assert.equal(await ran(script, env), 1);
    assert.deepEqual(service.calls, ['POST /2.0/repositories/o/r/pullrequests/7/comments']);
    assert.match(service.notes[0]?.body ?? '', /does not fit/);
  });
});
