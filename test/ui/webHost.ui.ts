// The build for browsers without a machine (vscode.dev), in VS Code's own web extension host.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import { Workbench } from '../host/driver';
import { quiet } from '../host/settings.mjs';
import { startWebWindow } from '../host/webWindow.mjs';
import { PLAN, sharedBrowser, shots } from './window';

const text = readFileSync(join(root, 'media/sample/axolotl/llama-3.1-8b-qlora.yml'), 'utf8');
const FILE = 'qlora.yml';

describe('a browser without a machine', function () {
  this.timeout(480_000);
  let window: Awaited<ReturnType<typeof startWebWindow>>;
  let vs: Workbench;

  before(async () => {
    window = await startWebWindow({
      extensions: { headroom: root, files: join(root, 'test/fixtures/webFiles') },
      files: { [`/${FILE}`]: text, '/notes.yml': 'shopping:\n  - milk\n' },
      settings: { ...quiet, 'headroom.target.gpu': 'RTX 4060' },
      log: join(root, 'out/ui/webHost.log'),
    });
    const page = await sharedBrowser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(window.url);
    vs = await new Workbench(page, shots).ready();
    await vs.page.getByText(FILE).first().dblclick();
    await vs.codeLenses(/does not fit/);
  });

  after(async () => {
    await vs.shot('web-host');
    await vs.page.close();
    await window.stop();
  });

  it('says what a config needs: lens, finding, hover, hint', async () => {
    const lenses = await vs.codeLenses(/does not fit/);
    assert.match(lenses.join(), /≈ \d+\.\d GB of 8 GB · does not fit · RTX 4060/);
    assert.match(await vs.hover('micro_batch_size', /GB/), /GB/);
    await vs.unhover();
    assert.match((await vs.problems(/GB/)).join(), /needs|does not fit|GB/);
  });

  it('offers nothing that needs a machine', async () => {
    assert.doesNotMatch((await vs.codeLenses(/does not fit/)).join(), /Run|Profile/);
    const offered = (await vs.commands('Headroom: ')).join('\n');
    assert.match(offered, /Optimize GPU Config/);
    assert.match(offered, /Explain/);
    assert.doesNotMatch(offered, /Run Job|Show GPU Panel|Profile This Config|Add .*Host/);
  });

  it('optimizes an open config, and takes it back', async () => {
    await vs.command('Headroom: Optimize GPU Config');
    const plans = await vs.picks(PLAN);
    assert.match(plans[0]!, /^(?:fits|tight) · /);
    await vs.page.keyboard.press('Enter');
    await vs.picks(/Apply/);
    await vs.page.keyboard.press('Enter');
    await vs.codeLenses(/ (?:fits|tight) · RTX 4060/);
    await vs.command('Headroom: Undo Last Optimization');
    await vs.codeLenses(/does not fit/);
  });

  it('stays silent on files that are no configs', async () => {
    await vs.page.getByText('notes.yml').first().dblclick();
    await vs.line(/milk/);
    assert.equal(await vs.page.locator('.codelens-decoration').count(), 0);
  });
});
