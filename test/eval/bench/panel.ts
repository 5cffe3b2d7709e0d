import type { CDPSession, Page } from 'playwright-core';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { openPanel } from '../../webview/harness';
import type { PanelInBrowser, Theme } from '../../webview/harness';
import { sixtyFourGpus } from '../../webview/theScenes';
import { median, quantile, rounded } from './bench';
import type { Bench, BenchResult } from './bench';
import { ROOT } from './inputs';

const TICKS = 40;
const WARM_UP = 5;
const SCROLL_MS = 6000;
/** Readings arrive once per second. */
const SECOND_MS = 1000;

/** An installed browser; the UI suites know how to install one. */
function browserPath(): string {
  const places = [process.env['CHROMIUM'] ?? '', '/usr/bin/chromium', chromium.executablePath()];
  const path = places.find(place => place !== '' && existsSync(place));
  if (path === undefined) throw new Error('No Chromium is here: set CHROMIUM to its path.');
  return path;
}

/** Measures the page's own code: its listener for each message, and each frame that it requested. */
const TIMING = `
globalThis.took = [];
const nextFrame = globalThis.requestAnimationFrame;
globalThis.requestAnimationFrame = run => nextFrame.call(globalThis, time => {
  const begin = performance.now();
  run(time);
  globalThis.took.push({ type: 'frame', ms: performance.now() - begin });
});
const listen = globalThis.addEventListener;
globalThis.addEventListener = (type, run, options) =>
  listen.call(globalThis, type, type !== 'message' ? run : event => {
    const begin = performance.now();
    run(event);
    globalThis.took.push({ type: event.data.type, ms: performance.now() - begin });
  }, options);`;

/** Frames per second while the whole page is scrolled and readings arrive at an interval. */
async function framesPerSecond(panel: PanelInBrowser, everyMs: number): Promise<number> {
  const frames = panel.page.evaluate<number>(`new Promise(done => {
    const begin = performance.now();
    let count = 0, down = true;
    const frame = () => {
      count += 1;
      const end = document.documentElement.scrollHeight - innerHeight;
      scrollBy(0, down ? 25 : -25);
      if (scrollY >= end - 1) down = false;
      if (scrollY <= 0) down = true;
      const ms = performance.now() - begin;
      if (ms < ${SCROLL_MS}) requestAnimationFrame(frame);
      else done(count / ms * 1000);
    };
    requestAnimationFrame(frame);
  })`);
  const end = performance.now() + SCROLL_MS;
  while (performance.now() < end) {
    await panel.tick();
    await new Promise(done => setTimeout(done, everyMs));
  }
  return frames;
}

interface Scripting {
  /** The cost of a tick, including its later frames. */
  readonly ticks: readonly number[];
  /** The longest uninterruptible part of each tick. */
  readonly pieces: readonly number[];
}

/** How long lines may take to be drawn, a few per frame. */
const DRAWN_MS = 300;

async function scripting(page: Page, panel: PanelInBrowser): Promise<Scripting> {
  await panel.tick(WARM_UP);
  await panel.settled();
  const all: (readonly number[])[] = [];
  for (let i = 0; i < TICKS; i++) {
    await page.evaluate('globalThis.took.length = 0');
    await panel.tick();
    await page.waitForTimeout(DRAWN_MS);
    const took = await page.evaluate<readonly { type: string; ms: number }[]>('globalThis.took');
    all.push(took.filter(({ type }) => type === 'tick' || type === 'frame').map(({ ms }) => ms));
  }
  return {
    ticks: all.map(pieces => pieces.reduce((sum, ms) => sum + ms, 0)),
    pieces: all.map(pieces => Math.max(...pieces)),
  };
}

async function scriptSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? NaN;
}

/** 64 GPUs in the panel's page, in a real browser without a GPU. */
export const panel: Bench = {
  name: 'panel',
  async run(): Promise<BenchResult> {
    const browser = await chromium.launch({
      executablePath: browserPath(),
      args: ['--disable-gpu', '--no-sandbox'],
    });
    const themes = JSON.parse(readFileSync(join(ROOT, 'test/webview/themes.json'), 'utf8')) as Record<
      string,
      Theme
    >;
    const theme = themes['dark'];
    if (!theme) throw new RangeError('No dark theme.');
    try {
      const opened = await openPanel(browser, ROOT, {
        scene: sixtyFourGpus,
        theme,
        width: 1280,
        height: 800,
        before: TIMING,
      });
      const session = await opened.page.context().newCDPSession(opened.page);
      await session.send('Performance.enable');
      const before = await scriptSeconds(session);
      const cards = await opened.page.locator('.card:has(canvas)').count();
      const { ticks, pieces } = await scripting(opened.page, opened);
      const scriptMs = ((await scriptSeconds(session)) - before) * 1000;
      const rate = await framesPerSecond(opened, SECOND_MS);
      const hurried = await framesPerSecond(opened, SECOND_MS / 10);
      return {
        value: rounded(rate, 1),
        unit: 'frames/s',
        runs: ticks.length,
        detail: {
          gpus: 64,
          framesAtTenTicksASecond: rounded(hurried, 1),
          cardsInSight: cards,
          tickMedianMs: rounded(median(ticks)),
          tickP95Ms: rounded(quantile(ticks, 0.95)),
          longestPieceP95Ms: rounded(quantile(pieces, 0.95)),
          // Includes the browser's compilation to pass messages.
          allScriptMsPerTick: rounded(scriptMs / (TICKS + WARM_UP)),
        },
      };
    } finally {
      await browser.close();
    }
  },
};
