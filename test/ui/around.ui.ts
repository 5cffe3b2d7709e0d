// Features around the editor: pages of rules, language status, menus, the workspace check, the walkthrough.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { localizedManifest } from '../../scripts/lib/manifest.mjs';
import type { VSCode } from '../host/driver';
import { SOON } from '../host/driver/steps';
import { inVSCode } from './window';

const { walkthroughs } = localizedManifest().contributes;
const STEPS = walkthroughs.find(({ id }) => id === 'start')!.steps;
const GUIDES = walkthroughs.find(({ id }) => id !== 'start')!;
const CONFIG = 'trl/qwen2.5-7b-sft.yaml';

/** Opens it with room for its steps. */
async function openWalkthrough(vs: VSCode, title: string): Promise<void> {
  if (await vs.page.locator('.part.sidebar').isVisible()) await vs.page.keyboard.press('Control+B');
  await vs.command('Welcome: Open Walkthrough');
  await vs.pick(title);
}

inVSCode('around', { workspace: 'media/sample' }, test => {
  test("the code of a problem opens the rule's page", async vs => {
    await vs.open(CONFIG);
    await vs.problems(/does-not-fit/);
    await vs.page.locator('.markers-panel-container a', { hasText: 'does-not-fit' }).first().click();
    const page = await vs.webview('h1');
    assert.match(await page.locator('h1').first().innerText(), /does-not-fit/);
  });

  test(
    'the language status shows the answer',
    async vs => {
      await vs.open(CONFIG);
      // VS Code opens a file at its last position: the lens may be above.
      await vs.page.keyboard.press('Control+Home');
      await vs.codeLenses(/GB/);
      const item = vs.page.locator('[id="status.languageStatus"]');
      await item.hover();
      const hover = vs.page.locator('.monaco-hover:not(.hidden)').last();
      await vs.until('answer', async () => (await hover.innerText()).includes('GB of 24 GB · does not fit'));
    },
    { keepMouse: true },
  );

  test(
    "the editor's menu has our commands on a config",
    async vs => {
      await vs.open(CONFIG);
      await vs.codeLenses(/GB/);
      const menu = vs.page.locator('.monaco-menu .action-item', { hasText: 'Headroom' });
      // A menu is created once, when it opens: the config may not have been recognized yet.
      await vs.until('our menu', async () => {
        await vs.page.keyboard.press('Escape');
        await vs.token('packing').click({ ...SOON, button: 'right' });
        return menu.isVisible();
      });
      await menu.hover();
      await menu.click();
      await vs.page.locator('.monaco-menu .action-item', { hasText: /^Explain This Config/ }).waitFor();
    },
    { keepMouse: true },
  );

  test('the palette offers everything except internal commands', async vs => {
    await vs.open(CONFIG);
    await vs.codeLenses(/GB/);
    for (const title of [
      'Optimize GPU Config',
      'Undo Last Optimization',
      'Choose Target GPU',
      'Compare GPUs for This Config',
      'Explain This Config',
      'Check Workspace',
      'Show GPU Panel',
      'Add Host',
      'Show Log',
    ]) {
      const found = await vs.commands(`Headroom: ${title}`);
      assert.ok(found.includes(`Headroom: ${title}`), `${title}: ${found.join(', ')}`);
    }
    assert.ok(!(await vs.commands('Headroom: Show Rule')).includes('Headroom: Show Rule'));
  });

  test('the palette offers only commands that apply', async vs => {
    await vs.open('README.md');
    const offered = await vs.commands('Headroom: ');
    for (const title of ['Stop Job', 'Remove Host', 'Copy GPUs as Text', 'Dismiss Job Failure', 'Check']) {
      assert.ok(!offered.includes(`Headroom: ${title}`), offered.join('\n'));
    }
    // The view's own entry is VS Code's.
    const ours = offered.filter(title => /^Headroom: (?!Focus on)/.test(title));
    assert.equal(ours.length, 11, offered.join('\n'));
  });

  test('the explorer checks a file', async vs => {
    await vs.open(CONFIG);
    await vs.codeLenses(/GB/);
    await vs.page.locator('.explorer-folders-view .monaco-list-row.selected').click({ button: 'right' });
    await vs.page.locator('.context-view .action-menu-item', { hasText: 'Headroom' }).hover();
    const entries = vs.page.locator('.context-view .monaco-submenu .action-menu-item');
    await entries.first().waitFor();
    const labels = (await entries.allInnerTexts()).map((text: string) => text.trim().split('\n')[0]);
    assert.deepEqual(labels, ['Check', 'Optimize GPU Config', 'Run Job']);
    await vs.shot('explorer-menu', { keepMouse: true });
    await entries.filter({ hasText: 'Check' }).click();
    await vs.notifications(/GB of 24 GB/);
  });

  test(
    'undo reports that there is nothing to undo',
    async vs => {
      await vs.command('Headroom: Undo Last Optimization');
      await vs.notifications(/Nothing to undo/);
    },
    { fresh: true },
  );

  test('the workspace check finds every config', async vs => {
    await vs.command('Headroom: Check Workspace');
    await vs.notifications(/^3 configs in 8 files, 7 runs: \d fits?, \d (?:is|are) tight, \d do not fit\./);
  });

  test('the walkthrough shows the first steps', async vs => {
    await openWalkthrough(vs, 'Get started with Headroom');
    const steps = vs.page.locator('.getting-started-step');
    await vs.until('steps', async () => (await steps.count()) === STEPS.length);
    await steps.nth(STEPS.findIndex(({ description }) => description.includes('Add Host'))).click();
    await vs.page.locator('.getting-started-step.expanded', { hasText: 'Add Host' }).waitFor();
  });

  test('an example of the guides opens as a copy in its own window', async vs => {
    await openWalkthrough(vs, GUIDES.title);
    const steps = vs.page.locator('.getting-started-step');
    await vs.until('steps', async () => (await steps.count()) === GUIDES.steps.length);
    const at = GUIDES.steps.findIndex(({ description }) => description.includes('utilisation'));
    await steps.nth(at).click();
    const opened = vs.page.context().waitForEvent('page');
    await vs.page.locator('.getting-started-step.expanded').getByText('Open the Example').click();
    const window = await opened;
    const folder = new URL(window.url()).searchParams.get('folder');
    await window.close();
    assert.match(folder!, /\/globalStorage\/gpu-headroom\.gpu-headroom\/examples\/utilisation$/);
    const source = 'media/walkthrough/examples/utilisation';
    const files = (path: string) => readdirSync(path, { recursive: true }).sort();
    assert.deepEqual(files(folder!), files(source));
  });
});
