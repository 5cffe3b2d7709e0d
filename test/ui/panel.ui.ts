// The GPU panel in a real VS Code, fed by recordings of nvidia-smi.
import assert from 'node:assert/strict';
import type { FrameLocator } from 'playwright-core';
import type { VSCode } from '../host/driver';
import { BUSY_GPU } from './replay';
import { inVSCode } from './window';

const CONFIG = 'trl/qwen2.5-7b-sft.yaml';

async function opened(vs: VSCode, shows: string): Promise<FrameLocator> {
  await vs.open(CONFIG);
  await vs.codeLenses(/GB/);
  await vs.command('Headroom: Show GPU Panel');
  return vs.webview(shows);
}

const hasReading = (vs: VSCode, page: FrameLocator) =>
  vs.until('a reading', async () =>
    (await page.locator('.chart-memoryUsedMiB').first().innerText()).includes('of 16 GB'),
  );

const showsQuarter = (vs: VSCode, page: FrameLocator) =>
  vs.until('its times', async () => (await page.locator('.times').first().innerText()).includes('−15 min'));

async function chooseQuarter(vs: VSCode, page: FrameLocator): Promise<void> {
  await page.locator('vscode-dropdown[aria-label="Time range of charts"]').click();
  await page.locator('vscode-option', { hasText: 'Last 15 min' }).click();
  await showsQuarter(vs, page);
}

inVSCode('panel @gate', { workspace: 'media/sample', env: BUSY_GPU }, test => {
  test("shows this machine's GPU, and the predicted need of the active config", async vs => {
    const page = await opened(vs, '.card');
    await hasReading(vs, page);
    assert.match(await page.locator('h3').first().innerText(), /GPU 0 · GeForce RTX 4080 SUPER/);
    await vs.until('a line', async () => (await vs.painted(page)) > 100);
    await vs.until('a prediction', async () =>
      /qwen2\.5-7b-sft\.yaml ≈ .* GB per GPU/.test(await page.locator('.predicted').innerText()),
    );
  });

  test('switches the time window, and keeps it while hidden', async vs => {
    await chooseQuarter(vs, await opened(vs, '.card'));
    await vs.command('View: Toggle Panel Visibility');
    await vs.command('Headroom: Show GPU Panel');
    await showsQuarter(vs, await vs.webview('.card'));
  });
});

inVSCode('panel, copied and moved', { workspace: 'media/sample', env: BUSY_GPU }, test => {
  test('copies its GPUs as text', async vs => {
    const page = await opened(vs, '.card');
    await hasReading(vs, page);
    await page.locator('.tools .icon-button').last().click();
    await vs.command('File: New Untitled Text File');
    await vs.page.keyboard.press('Control+v');
    await vs.line(/RTX 4080 SUPER/);
  });

  test('opens in an editor tab, and is restored after a reload', async vs => {
    await chooseQuarter(vs, await opened(vs, '.card'));
    await vs.command('Headroom: Open GPU Panel in Editor Tab');
    await vs.until('two pages', async () => (await vs.page.locator('iframe.webview.ready').count()) >= 2);
    // Without the view, only the tab shows a card.
    await vs.command('View: Toggle Panel Visibility');
    await vs.reload();
    const page = await vs.webview('.card');
    await vs.page.locator('.tab.active[aria-label^="GPUs"]').waitFor();
    await hasReading(vs, page);
    await showsQuarter(vs, page);
  });
});

inVSCode('panel without a GPU', { workspace: 'media/sample' }, test => {
  test('says that there is no GPU, and what to do', async vs => {
    const page = await opened(vs, '.welcome');
    assert.match(await page.locator('.welcome').innerText(), /No GPU found/);
    await vs.shot('panel-without-gpu');
    await page.locator('vscode-button', { hasText: 'Open Example' }).click();
    assert.ok((await vs.picks(/Find the largest batch size/)).length >= 4);
    await vs.escape();
  });
});

inVSCode('panel in Restricted Mode', { workspace: 'media/sample', env: BUSY_GPU, trust: false }, test => {
  test(
    'starts nothing until the folder is trusted, and says why',
    async vs => {
      const welcome = await opened(vs, '.welcome');
      assert.match(await welcome.locator('.welcome').innerText(), /Restricted Mode/);
      await vs.trustFolder();
      const page = await vs.webview('.card');
      assert.match(await page.locator('h3').first().innerText(), /RTX 4080 SUPER/);
    },
    { fresh: true },
  );
});
