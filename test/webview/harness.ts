import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { HostState } from '../../src/gpu/fleet';
import { pageHtml } from '../../src/panel/page/html';
import type { JobsToPage } from '../../src/panel/page/jobs';
import { JobsFeed } from '../../src/panel/page/jobsFeed';
import type { ToPage } from '../../src/panel/page/protocol';
import { PanelSession } from '../../src/panel/page/session';
import { DEFAULT_VIEW } from '../../src/panel/page/viewState';
import type { ViewState } from '../../src/panel/page/viewState';
import { HandTimers } from './handTimers';
import { jobsOf } from './jobScenes';
import { MemoryFleet } from './memoryFleet';
import type { Scene } from './scenes';
import { NOW_MS, readingAt } from './scenes';

/** A theme in a webview: VS Code's own variables, captured from a real one. */
export interface Theme {
  readonly className: string;
  readonly vars: Readonly<Record<string, string>>;
}

export interface PanelOptions {
  readonly scene: Scene;
  readonly theme: Theme;
  readonly width: number;
  readonly height: number;
  readonly view?: Partial<ViewState>;
  /** Runs in the page before its own scripts. */
  readonly before?: string;
  /** Its translations, by English text; absent: none. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Seconds of history. */
  readonly past?: number;
}

const SITE = 'http://panel.test';

/** The panel's page in a browser, served by the extension's own code from an in-memory fleet. */
export class PanelInBrowser {
  readonly fleet = new MemoryFleet();
  /** The page's requests besides readings. */
  readonly asked: unknown[] = [];
  readonly problems: string[] = [];
  view: ViewState;
  second = 0;
  private readonly timers: HandTimers;
  private session: PanelSession;
  private jobs: JobsFeed;
  private outbox: (ToPage | JobsToPage)[] = [];

  constructor(
    readonly page: Page,
    private readonly options: PanelOptions,
  ) {
    const { scene, view, past = 320 } = options;
    this.view = { ...DEFAULT_VIEW, ...view };
    this.timers = new HandTimers(NOW_MS - past * 1000);
    this.session = this.newSession();
    this.jobs = this.newFeed();
    for (let second = -past; second <= 0; second++) {
      this.timers.to(NOW_MS + second * 1000);
      for (const host of scene.hosts) this.fleet.set(readingAt(host, second));
    }
    this.timers.to(NOW_MS + 100);
  }

  /** Delivers the queued messages to the page. */
  private async post(): Promise<void> {
    const messages = this.outbox;
    this.outbox = [];
    if (messages.length === 0) return;
    await this.page.evaluate(`for (const message of ${JSON.stringify(messages)}) postMessage(message, '*')`);
  }

  async receive(message: unknown): Promise<void> {
    this.session.receive(message);
    this.jobs.receive(message);
    // A job's output arrives a moment later.
    await Promise.resolve();
    await this.post();
  }

  /** Advances the time for all hosts. */
  async tick(seconds = 1): Promise<void> {
    for (let i = 0; i < seconds; i++) {
      this.second += 1;
      this.timers.to(NOW_MS + this.second * 1000);
      for (const host of this.options.scene.hosts) this.fleet.set(readingAt(host, this.second));
      this.timers.to(NOW_MS + this.second * 1000 + 100);
    }
    await this.post();
  }

  /** Changes a host's state. */
  async turn(hostId: string, state: HostState): Promise<void> {
    const watch = this.fleet.watches().find(({ host }) => host.id === hostId);
    if (!watch) throw new RangeError(`No host ${hostId}`);
    this.fleet.set({ ...watch.reading, status: { ...watch.reading.status, state } });
    this.timers.to(this.timers.now() + 200);
    await this.post();
  }

  /** Like VS Code when the view is hidden and shown again. */
  async hideAndShow(): Promise<void> {
    this.session.dispose();
    this.session = this.newSession();
    this.jobs.dispose();
    this.jobs = this.newFeed();
    await this.page.reload();
    await this.settled();
  }

  /** Resolves when everything is drawn and no message is pending. */
  async settled(): Promise<void> {
    await this.page.waitForFunction('document.querySelector(".card, .welcome, .host, .nothing") !== null');
    for (let i = 0; i < 3; i++) {
      await this.page.evaluate('new Promise(done => requestAnimationFrame(() => setTimeout(done, 30)))');
      await this.post();
    }
  }

  private newFeed(): JobsFeed {
    const jobs = jobsOf(this.options.scene.hasJobs ? 'some' : 'none', this.asked);
    return new JobsFeed({ jobs, timers: this.timers, post: message => void this.outbox.push(message) });
  }

  private newSession(): PanelSession {
    const keepView = (view: ViewState): void => {
      this.view = view;
    };
    return new PanelSession({
      fleet: this.options.scene.isRestricted ? null : this.fleet,
      timers: this.timers,
      view: () => this.view,
      prediction: () => this.options.scene.prediction,
      actions: {
        keepView,
        fix: advice => void this.asked.push({ fix: advice.rule }),
        copy: hosts =>
          void this.asked.push({ copy: hosts.flatMap(({ devices }) => devices.map(({ id }) => id)) }),
        terminal: host => void this.asked.push({ terminal: host }),
        command: command => void this.asked.push({ command }),
      },
      post: message => void this.outbox.push(message),
    });
  }
}

/** Opens the panel's page on a scene. */
export async function openPanel(
  browser: Pick<Browser, 'newPage'>,
  root: string,
  options: PanelOptions,
): Promise<PanelInBrowser> {
  const { width, height, theme, before = '', texts = {} } = options;
  const page = await browser.newPage({
    viewport: { width, height },
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
  });
  const panel = new PanelInBrowser(page, options);
  const html = pageHtml({
    script: `${SITE}/panel.js`,
    style: `${SITE}/panel-style.css`,
    source: SITE,
    nonce: 'n0nce',
    language: 'en',
    texts,
  });
  await page.route(`${SITE}/**`, route => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: html });
    const type = pathname.endsWith('.css') ? 'text/css' : 'text/javascript';
    return route.fulfill({ contentType: type, body: readFileSync(join(root, 'dist/webview', pathname)) });
  });
  page.on('pageerror', error => void panel.problems.push(error.message));
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') panel.problems.push(message.text());
  });
  await page.exposeFunction('hear', (message: unknown) => panel.receive(message));
  const webview = readFileSync(join(root, 'test/webview/asWebview.mjs'), 'utf8');
  await page.addInitScript(`${before}\n${webview}; globalThis.asWebview(${JSON.stringify(theme)})`);
  await page.goto(SITE);
  await panel.settled();
  return panel;
}
