// npm start: the check in the terminal, then a window on the folder.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run, start, stop } from '../../scripts/lib/processes.mjs';
import type { Started } from '../../scripts/lib/processes.mjs';
import { root } from '../../scripts/lib/root.mjs';
import { temporaryFolder } from '../../scripts/lib/temporary.mjs';
import { Workbench } from '../host/driver';
import { untilWithin } from '../host/driver/steps';
import { sharedBrowser, shots } from './window';

const until = untilWithin(60_000);
const noDisplay: NodeJS.ProcessEnv = {
  ...process.env,
  INIT_CWD: root,
  DISPLAY: '',
  WAYLAND_DISPLAY: '',
  NO_COLOR: '1',
};

/** Runs it to its end; `output` is stdout and stderr interleaved. */
const npmStart = (args: readonly string[], env = noDisplay) =>
  run(process.execPath, ['scripts/start.mjs', ...args], { cwd: root, env, timeoutMs: 60_000 });

describe('npm start, up to its check', () => {
  it('takes a folder, and compares with the GPU of its settings', async () => {
    const { status, output } = await npmStart(['media/sample', '--no-open']);
    assert.equal(status, 0, output);
    assert.match(output, /^media\/sample\/trl\/\S+ hf-trl$/m);
    assert.match(output, /RTX 4090/);
    assert.doesNotMatch(output, /http:/);
  });

  it('reports wrong arguments in a sentence', async () => {
    const nowhere = await npmStart(['media/nowhere', '--no-open']);
    assert.match(nowhere.output, /^There is nothing at .*nowhere: give a folder or a config that exists\.$/);
    const unknown = await npmStart(['--fast']);
    assert.match(unknown.output, /--fast.* Usage: npm start -- \[PATH\] \[--no-open\]$/);
    assert.deepEqual([nowhere.status, unknown.status], [1, 1]);
  });
});

describe('npm start with a desktop VS Code', () => {
  it('opens the folder in it, with Headroom as the extension under development', async function desktop() {
    // A shell script stands in for `code`: it records its arguments.
    if (process.platform === 'win32') this.skip();
    const { folder, remove } = temporaryFolder('headroom-code');
    const asked = join(folder, 'asked');
    writeFileSync(join(folder, 'code'), `#!/bin/sh\nprintf '%s\\n' "$@" > '${asked}'\n`, { mode: 0o755 });
    const PATH = `${folder}${delimiter}${process.env['PATH']}`;
    const { status, output } = await npmStart(['media/sample'], { ...noDisplay, PATH, DISPLAY: ':99' });
    assert.equal(status, 0, output);
    const sample = join(root, 'media/sample');
    assert.equal(readFileSync(asked, 'utf8'), `--extensionDevelopmentPath=${root}\n${sample}\n`);
    remove();
  });
});

describe('npm start without a display', () => {
  let child: Started;
  let printed = '';

  before(() => {
    const options = { cwd: root, env: noDisplay, lastSignal: 'SIGTERM' } as const;
    child = start(process.execPath, ['scripts/start.mjs'], options);
    child.stdout.on('data', (data: Buffer) => (printed += data.toString()));
  });

  after(() => stop(child));

  const address = () =>
    until('address of the workbench', () => /^http:\/\/127\.0\.0\.1:\d+\/\S+$/m.exec(printed)?.[0]);

  it('prints what the check says about the sample, then an address', async () => {
    const end = await address();
    assert.match(printed.slice(0, printed.indexOf(end)), /RTX 4090/);
  });

  it('rejects requests that do not know the address', async () => {
    const { origin } = new URL(await address());
    assert.equal((await fetch(origin)).status, 403);
  });

  it('opens the folder with Headroom in it, ready to use', async () => {
    const page = await sharedBrowser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(await address());
    const vs = await new Workbench(page, shots).ready();
    assert.ok(!(await vs.restricted()));
    // The folder's README is shown.
    await vs.webview('h1');
    await vs.open('trl/qwen2.5-7b-sft.yaml');
    await vs.codeLenses(/does not fit · RTX 4090/);
    await vs.shot('npm-start');
    await page.close();
  });

  it('ends what it started', async () => {
    const { origin } = new URL(await address());
    await stop(child);
    await assert.rejects(fetch(origin));
  });
});
