// npm start without a display: the check in the terminal, then the workbench at the printed address.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { start, stop } from '../../scripts/lib/processes.mjs';
import { root } from '../../scripts/lib/root.mjs';
import { windowOn } from '../host/driver.mjs';
import { untilWithin } from '../host/driver/wait.mjs';
import { sharedBrowser, shots } from './window.mjs';

const until = untilWithin(60_000);
const env = { ...process.env, DISPLAY: '', WAYLAND_DISPLAY: '' };

describe('npm start', () => {
  let child;
  let printed = '';

  before(() => {
    child = start(process.execPath, ['scripts/start.mjs'], { cwd: root, env, lastSignal: 'SIGTERM' });
    child.stdout.on('data', data => (printed += data));
  });

  after(() => stop(child));

  const address = () =>
    until('address of the workbench', () => /^http:\/\/127\.0\.0\.1:\d+\/\S+$/m.exec(printed)?.[0]);

  it('prints what the check says about the sample, then an address', async () => {
    const end = await address();
    assert.match(printed.slice(0, printed.indexOf(end)), /RTX 4090/);
  });

  it('lets nobody in who does not know the address', async () => {
    const { origin } = new URL(await address());
    assert.equal((await fetch(origin)).status, 403);
  });

  it('opens the folder with Headroom in it, ready to use', async () => {
    const page = await sharedBrowser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(await address());
    const vs = await windowOn(page, { shots });
    assert.ok(!(await vs.restricted()));
    await vs.until('commands', async () =>
      (await vs.commands('Headroom')).includes('Headroom: Optimize GPU Config'),
    );
    await vs.shot('npm-start');
    await page.close();
  });

  it('ends what it started', async () => {
    const { origin } = new URL(await address());
    await stop(child);
    await assert.rejects(fetch(origin));
  });
});
