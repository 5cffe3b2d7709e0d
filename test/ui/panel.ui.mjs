// The GPU panel in a real VS Code, fed by recordings of nvidia-smi.
import assert from 'node:assert/strict';
import { replaying } from './replay.mjs';
import { inVSCode } from './window.mjs';

const busy = replaying('panel', [
  { when: '--query-gpu', file: 'nv-csv-4080s-595-load.csv' },
  { when: '--query-compute-apps', file: 'nv-apps-4080s-595-load.csv' },
]);

const CONFIG = 'trl/qwen2.5-7b-sft.yaml';

inVSCode('panel @gate', { workspace: 'media/sample', env: busy }, test => {
  test('shows the GPU of this machine with its charts', async vs => {
    await vs.open(CONFIG);
    await vs.codeLenses(/GB of/);
    await vs.command('Headroom: Show GPU Panel');
    const page = await vs.webview('.card');
    await vs.until('a reading', async () =>
      /of 16 GB/.test(await page.locator('.chart-memoryUsedMiB').innerText()),
    );
    assert.match(await page.locator('h3').first().innerText(), /GPU 0 · GeForce RTX 4080 SUPER/);
    await vs.until('a line', async () => (await vs.painted(page)) > 100);
  });

  test('draws what the active config is predicted to take', async vs => {
    const page = await vs.webview('.card');
    const words = page.locator('.predicted');
    await vs.until('a prediction', async () =>
      /qwen2\.5-7b-sft\.yaml ≈ .* GB per GPU/.test(await words.innerText()),
    );
  });

  test('follows another window of time, and keeps it when hidden', async vs => {
    const page = await vs.webview('.card');
    await page.locator('vscode-dropdown[aria-label="Time range of charts"]').click();
    await page.locator('vscode-option', { hasText: 'Last 15 min' }).click();
    await vs.until('its times', async () => /−15 min/.test(await page.locator('.times').first().innerText()));
    await vs.command('View: Toggle Panel Visibility');
    await vs.command('Headroom: Show GPU Panel');
    const again = await vs.webview('.card');
    await vs.until('the same window', async () =>
      /−15 min/.test(await again.locator('.times').first().innerText()),
    );
  });

  test('copies its GPUs as text', async vs => {
    const page = await vs.webview('.card');
    await page.locator('.tools .icon-button').last().click();
    await vs.command('File: New Untitled Text File');
    await vs.page.keyboard.press('Control+v');
    await vs.line(/RTX 4080 SUPER/);
    await vs.command('View: Revert and Close Editor');
  });

  test('opens in an editor tab, too', async vs => {
    await vs.command('Headroom: Open GPU Panel in Editor Tab');
    await vs.until('two pages', async () => (await vs.page.locator('iframe.webview.ready').count()) >= 2);
  });

  test('is there again, in its tab, after a reload', async vs => {
    // Without the view, what shows a card is the tab.
    await vs.command('View: Toggle Panel Visibility');
    await vs.reload();
    const page = await vs.webview('.card');
    await vs.page.locator('.tab.active[aria-label^="GPUs"]').waitFor();
    await vs.until('a reading', async () =>
      /of 16 GB/.test(await page.locator('.chart-memoryUsedMiB').first().innerText()),
    );
    await vs.until('the same window', async () =>
      /−15 min/.test(await page.locator('.times').first().innerText()),
    );
  });
});

inVSCode('panel without a GPU', { workspace: 'media/sample' }, test => {
  test('says so, and what can be done', async vs => {
    await vs.open(CONFIG);
    await vs.codeLenses(/GB/);
    await vs.command('Headroom: Show GPU Panel');
    const page = await vs.webview('.welcome');
    assert.match(await page.locator('.welcome').innerText(), /No GPU found/);
  });
});

inVSCode('panel in Restricted Mode', { workspace: 'media/sample', env: busy, trust: false }, test => {
  test('starts nothing, and says why', async vs => {
    await vs.open(CONFIG);
    await vs.codeLenses(/GB/);
    await vs.command('Headroom: Show GPU Panel');
    const page = await vs.webview('.welcome');
    assert.match(await page.locator('.welcome').innerText(), /Restricted Mode/);
  });

  test('shows the GPU as soon as the folder is trusted', async vs => {
    await vs.trustFolder();
    const page = await vs.webview('.card');
    assert.match(await page.locator('h3').first().innerText(), /RTX 4080 SUPER/);
  });
});
