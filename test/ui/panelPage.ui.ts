// The panel's page by itself: pictures of every scene, no axe violations, and every way through it by keyboard.
// Pictures: out/shots/page-<scene>-<theme>-<width>.png.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import { objections, openScene } from './panelPage';
import type { PanelInBrowser } from '../webview/harness';
import type { Picture } from './panelPage';
import { shots } from './window';

const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 320, height: 900 };
/** The initial height of the panel below the editors. */
const LOW = { width: 1280, height: 300 };

/** Each scene wide and dark; the most different ones in every theme and narrow. */
const pictures: readonly Picture[] = [
  ...['one GPU', '8 GPUs', '64 GPUs', 'hosts down', 'special devices', 'no GPU', 'restricted'].map(scene => ({
    scene,
    theme: 'dark' as const,
    size: WIDE,
  })),
  ...(['light', 'high-contrast', 'high-contrast-light'] as const).flatMap(theme =>
    ['8 GPUs', 'hosts down', 'special devices'].map(scene => ({ scene, theme, size: WIDE })),
  ),
  ...['one GPU', '8 GPUs', 'hosts down', 'special devices', 'no GPU'].map(scene => ({
    scene,
    theme: 'light' as const,
    size: NARROW,
  })),
  { scene: 'one GPU', theme: 'dark', size: LOW },
  ...(['dark', 'light', 'high-contrast', 'high-contrast-light'] as const).map(theme => ({
    scene: 'jobs',
    theme,
    size: WIDE,
  })),
  { scene: 'jobs', theme: 'light', size: NARROW },
  { scene: 'jobs without a GPU', theme: 'dark', size: WIDE },
];

const slug = (text: string) => text.toLowerCase().replaceAll(' ', '-');

const open = (scene: string) => openScene({ scene, theme: 'dark', size: WIDE });

describe("pictures of the panel's page", () => {
  before(() => void mkdirSync(shots, { recursive: true }));

  const chinese = [
    ...['no GPU', '8 GPUs', 'jobs'].map(scene => ({ scene, theme: 'dark' as const })),
    ...(['light', 'high-contrast'] as const).map(theme => ({ scene: 'jobs', theme })),
  ];
  for (const { scene, theme } of chinese) {
    it(`${scene}, in Chinese, ${theme}`, async () => {
      const text = readFileSync(join(root, 'l10n/bundle.l10n.zh-cn.json'), 'utf8');
      const texts = JSON.parse(text) as Readonly<Record<string, string>>;
      const panel = await openScene({ scene, theme, size: WIDE }, { texts });
      await panel.tick(2);
      await panel.settled();
      await panel.page.screenshot({ path: join(shots, `page-${slug(scene)}-chinese-${theme}.png`) });
      const shown = await panel.page.locator('body').innerText();
      assert.match(shown, /\p{Script=Han}/u);
      // Names of places come from the extension, and from the scene here.
      const english = Object.entries(texts).flatMap(([key, own]) =>
        key === own || key.length < 8 || /machine$/i.test(key) ? [] : [key],
      );
      assert.deepEqual(
        english.filter(key => shown.includes(key)),
        [],
      );
      assert.deepEqual(panel.problems, []);
      await panel.page.close();
    });
  }

  for (const { scene, theme, size } of pictures) {
    it(`${scene}, ${theme}, ${size.width} × ${size.height}`, async () => {
      const panel = await openScene({ scene, theme, size });
      await panel.tick(2);
      await panel.settled();
      await panel.page.screenshot({
        path: join(shots, `page-${slug(scene)}-${theme}-${size.width}x${size.height}.png`),
      });
      assert.deepEqual(await objections(panel.page), []);
      assert.deepEqual(panel.problems, []);
      await panel.page.close();
    });
  }
});

describe("the panel's page with jobs", () => {
  it('stops and resumes jobs, and shows what its buttons say', async () => {
    const panel = await open('jobs');
    for (const name of [
      'Stop train qlora.yml',
      'Resume train lora.yml',
      'Show the output of train dpo.yaml',
    ]) {
      await panel.page.getByRole('button', { name }).click();
    }
    await panel.settled();
    assert.deepEqual(panel.asked, [{ stop: 'a' }, { resume: 'e' }, { output: 'c' }]);
    assert.equal(await panel.page.getByRole('button', { name: 'Resume train qlora.yml' }).count(), 0);
    await panel.page.close();
  });

  it("draws the output's metrics over the steps, and shows the value under the mouse", async () => {
    const panel = await open('jobs');
    const loss = panel.page.locator('.metric-loss').first();
    await panel.page.waitForFunction('document.querySelector(".metric-loss .value").textContent !== ""');
    await loss.locator('.canvas .u-over').hover({ position: { x: 5, y: 10 } });
    assert.match(await loss.locator('.value').innerText(), /at step \d+$/);
    const memory = panel.page.locator('.gpus-memory').first();
    assert.match(await memory.locator('.value').innerText(), /^1\d\.\d GB$/);
    await memory.locator('.canvas .u-over').hover({ position: { x: 5, y: 10 } });
    assert.match(await memory.locator('.value').innerText(), /GB at \d/);
    // In a container, the curve is the GPU's total memory, and its name says so.
    const names = await panel.page.locator('.gpus-memory:visible .name').allInnerTexts();
    assert.equal(await panel.page.getByTitle('Memory used by all processes').count(), 1);
    assert.deepEqual(names, ['Job memory', 'Total memory']);
    await panel.page.close();
  });
});

describe("the panel's page", () => {
  let panel: PanelInBrowser;
  /** Visible texts only: empty sections are hidden. */
  const texts = async (selector: string) =>
    (await panel.page.locator(selector).locator('visible=true').allInnerTexts())
      .map(text => text.trim())
      .filter(text => text !== '');
  const visible = () => panel.page.locator('.card:visible').count();

  before(async () => {
    panel = await open('8 GPUs');
  });

  after(() => panel.page.close());

  it('shows new readings as they arrive', async () => {
    const value = panel.page.locator('.chart-powerW .value').first();
    const earlier = await value.innerText();
    await panel.tick(3);
    await panel.settled();
    assert.notEqual(await value.innerText(), earlier);
  });

  it('draws only what is visible', async () => {
    const many = await open('64 GPUs');
    const last = many.page.locator('.card').last();
    const drawn = await many.page.locator('canvas').count();
    assert.ok(drawn > 0 && drawn < 4 * 32, `${drawn} charts`);
    assert.equal(await last.locator('canvas').count(), 0);
    await last.scrollIntoViewIfNeeded();
    await many.settled();
    // Lines are drawn over several frames.
    await last.locator('canvas').nth(3).waitFor();
    assert.equal(await last.locator('canvas').count(), 4);
    await many.page.close();
  });

  it('filters while typing, and says how many are left', async () => {
    const field = panel.page.locator('vscode-text-field');
    await field.click();
    await panel.page.keyboard.type('bob');
    await panel.settled();
    assert.equal(await visible(), 2);
    assert.deepEqual(await texts('.count'), ['2 of 8 GPUs']);
    assert.deepEqual(await texts('[role=status]'), ['2 of 8 GPUs shown']);
    assert.equal(panel.view.filter, 'bob');
    for (let i = 0; i < 3; i++) await panel.page.keyboard.press('Backspace');
    await panel.settled();
    assert.equal(await visible(), 8);
  });

  it('can be used with the keyboard', async () => {
    const focused = () => panel.page.evaluate('document.activeElement?.textContent?.slice(0, 5) ?? ""');
    const { keyboard } = panel.page;
    await panel.page.locator('.card').first().focus();
    await keyboard.press('ArrowRight');
    assert.equal(await focused(), 'GPU 1');
    await keyboard.press('ArrowDown');
    assert.equal(await focused(), 'GPU 4');
    await keyboard.press('End');
    assert.equal(await focused(), 'GPU 7');
    await keyboard.press('Home');
    assert.equal(await focused(), 'GPU 0');
    await keyboard.press('Tab');
    assert.equal(
      await panel.page.evaluate('document.activeElement.getAttribute("aria-label")'),
      'Collapse GPU 0 · H100 80GB HBM3',
    );
    await keyboard.press('Enter');
    await panel.settled();
    assert.deepEqual(
      (await texts('.card .short')).slice(0, 1).map(text => text.includes(' of 80 GB · ')),
      [true],
    );
    await keyboard.press('Enter');
    await panel.settled();
  });

  it('moves the focus to the filter on a slash', async () => {
    await panel.page.locator('.card').first().focus();
    await panel.page.keyboard.press('/');
    assert.equal(await panel.page.evaluate('document.activeElement.tagName'), 'VSCODE-TEXT-FIELD');
  });

  it('opens the processes that an advice is about', async () => {
    await panel.tick(20);
    await panel.settled();
    await panel.page.locator('vscode-button', { hasText: 'Show Processes' }).click();
    await panel.settled();
    assert.ok((await texts('.processes td')).some(text => text.includes('jupyter-kernel')));
  });

  it('requests the fix of an advice by its rule', async () => {
    await panel.page.locator('vscode-button', { hasText: 'Explain Config' }).click();
    await panel.settled();
    assert.deepEqual(panel.asked.at(-1), { fix: 'waits-for-input' });
  });

  it('pins a card to the top, and keeps the focus', async () => {
    await panel.page.locator('.card', { hasText: 'GPU 5' }).locator('[aria-pressed]').click();
    await panel.settled();
    assert.deepEqual(await texts('h2'), ['Pinned', 'This machine']);
    assert.match((await texts('h3'))[0]!, /This machine · GPU 5/);
    assert.equal(panel.view.pinned.length, 1);
  });

  it('is restored as it was left', async () => {
    await panel.hideAndShow();
    assert.deepEqual(await texts('h2'), ['Pinned', 'This machine']);
    await panel.page.locator('[aria-pressed=true]').click();
    await panel.settled();
    assert.deepEqual(await texts('h2'), ['This machine']);
  });

  it('copies one card', async () => {
    await panel.page.locator('.card', { hasText: 'GPU 2' }).locator('.tools .icon-button').last().click();
    await panel.settled();
    assert.deepEqual(panel.asked.at(-1), { copy: ['local/gpu-NVIDIAH10080GBHBM3-2'] });
  });

  it('shows the value and time under the mouse', async () => {
    const chart = panel.page.locator('.chart-memoryUsedMiB').first();
    await chart.locator('.u-over').hover({ position: { x: 40, y: 20 } });
    assert.match(await chart.locator('.value').innerText(), /GB at \d/);
    await panel.page.mouse.move(2, 2);
  });
});

describe("the panel's page with unreachable hosts", () => {
  it('retries one host', async () => {
    const panel = await open('hosts down');
    const section = panel.page.locator('.host', { hasText: 'lab' });
    await section.locator('vscode-button', { hasText: 'Try Again' }).first().click();
    await panel.settled();
    assert.equal(panel.fleet.retries('ssh:lab'), 1);
    await panel.page.close();
  });

  it('announces state changes to screen readers, but no readings', async () => {
    const panel = await open('hosts down');
    const spoken = panel.page.locator('[role=status]');
    await panel.tick(5);
    await panel.settled();
    assert.equal(await spoken.innerText(), '');
    await panel.turn('ssh:lab', 'unreachable');
    await panel.settled();
    await spoken.filter({ hasText: 'lab: unreachable' }).waitFor({ state: 'attached' });
    await panel.page.close();
  });
});
