import { cpSync, mkdirSync, readFileSync, rmSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { root } from '../../scripts/lib/root.mjs';
import { temporaryFolder } from '../../scripts/lib/temporary.mjs';
import { launchBrowser } from './browser.mjs';
import { Panels } from './driver/panels';
import { startServer, workbenchUrl } from './server.mjs';
import { quiet, restrictedMode } from './settings.mjs';

const LOAD_MS = 60_000;
/** Several times the duration of a step on two cores that other suites keep busy. */
const STEP_MS = 40_000;

/** A folder to copy, or a function that fills an empty one. */
type Workspace = string | ((folder: string) => void);

export interface WindowOptions {
  readonly workspace?: Workspace;
  /** Folder of the extension under development, this repository's by default; null with `vsix`. */
  readonly extension?: string | null;
  /** Packaged extensions to install. There is then no smoke-test driver, so toasts appear as they do for users. */
  readonly vsix?: readonly string[];
  /** false opens the folder in Restricted Mode. */
  readonly trust?: boolean;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Settings of scope `machine`. */
  readonly machineSettings?: Readonly<Record<string, unknown>>;
  readonly theme?: string;
  /** The display language of extensions, such as zh-cn. VS Code's own texts stay English, as no language pack is installed. */
  readonly language?: string;
  /** Environment of server and extension host, e.g. a PATH with a replayed nvidia-smi. */
  readonly env?: Readonly<Record<string, string>>;
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Timeout of each step, in ms. */
  readonly timeout?: number;
  /** Folder for pictures. */
  readonly shots?: string;
  /** Another window's browser, to share it. */
  readonly browser?: Browser;
}

/** Fills a workspace. It is a copy, because VS Code edits what it opens. */
function fill(folder: string, workspace: Workspace | undefined): void {
  if (typeof workspace === 'function') workspace(folder);
  else if (workspace !== undefined) cpSync(workspace, folder, { recursive: true });
}

/** Requested hosts outside this machine. Webview files have special addresses that a service worker answers. */
function watchRequests(page: Page): Set<string> {
  const external = new Set<string>();
  page.on('request', request => {
    const { hostname } = new URL(request.url());
    const isLocal =
      hostname === '' || hostname === '127.0.0.1' || hostname.endsWith('.vscode-resource.vscode-cdn.net');
    if (!isLocal) external.add(hostname);
  });
  return external;
}

/** Output of the extension host and the page, to analyze a failure. */
async function collectLog(page: Page, hasDriver: boolean): Promise<string[]> {
  const log: string[] = [];
  page.on('pageerror', error => log.push(`page error: ${error.message}`));
  if (hasDriver) {
    await page.exposeFunction('codeAutomationLog', (type: string, args: readonly string[]) => {
      log.push(`${type}: ${args.join(' ')}`);
    });
  }
  return log;
}

const ready = (page: Page): Promise<void> =>
  page.locator('.monaco-workbench .statusbar-item').first().waitFor({ timeout: LOAD_MS });

/** A page that shows a workbench, used as a person uses it. test/host/README.md lists its methods. */
export class Workbench extends Panels {
  constructor(
    page: Page,
    private readonly pictures: string | null,
    timeoutMs = STEP_MS,
  ) {
    super(page, timeoutMs);
    page.setDefaultTimeout(timeoutMs);
    if (pictures !== null) mkdirSync(pictures, { recursive: true });
  }

  /** Resolves when the workbench is there. */
  async ready(): Promise<this> {
    await ready(this.page);
    return this;
  }

  /** Takes a picture without animations; moves the mouse away unless it holds a hover open. */
  async shot(name: string, { keepMouse = false } = {}): Promise<void> {
    if (this.pictures === null) return;
    if (!keepMouse) await this.parkMouse();
    await this.page.screenshot({ path: join(this.pictures, `${name}.png`), animations: 'disabled' });
  }

  /**
   * Reloads with VS Code's own command, which first saves the state; the browser's reload loses the last seconds.
   */
  async reload(): Promise<void> {
    const loaded = this.page.waitForEvent('load', { timeout: LOAD_MS });
    await this.command('Developer: Reload Window');
    await loaded;
    await ready(this.page);
  }
}

/** A window on its own folder, with its own server. */
export class VSCode extends Workbench {
  /** Requested hosts outside this machine: must stay empty. */
  readonly external: ReadonlySet<string>;

  constructor(
    page: Page,
    options: WindowOptions,
    readonly workspace: string,
    private readonly machine: string,
    readonly log: readonly string[],
    readonly close: () => Promise<void>,
  ) {
    super(page, options.shots ?? null, options.timeout);
    this.external = watchRequests(page);
  }

  path(...parts: readonly string[]): string {
    return join(this.workspace, ...parts);
  }

  read(file: string): string {
    return readFileSync(this.path(file), 'utf8');
  }

  /** The machine's settings file, for settings that a workspace may not set. */
  machineSettings(): string {
    return readFileSync(this.machine, 'utf8');
  }

  /** Empties the window and its folder, and refills the folder. */
  async begin(workspace: Workspace | undefined): Promise<void> {
    await this.reset();
    for (const name of readdirSync(this.workspace)) {
      rmSync(this.path(name), { recursive: true, force: true });
    }
    fill(this.workspace, workspace);
  }
}

const defaults = {
  extension: root,
  vsix: [],
  trust: true,
  settings: {},
  machineSettings: {},
  theme: 'Dark Modern',
  env: {},
  viewport: { width: 1280, height: 800 },
};

type Ends = (() => Promise<void> | void)[];

/** Sets the language as a language pack would: the page tells its extension host. */
async function speak(page: Page, language: string): Promise<void> {
  await page.addInitScript(name => Object.assign(globalThis, { _VSCODE_NLS_LANGUAGE: name }), language);
}

/** Server, browser and page; `opened` records how to close each. */
async function openPage(options: WindowOptions & typeof defaults, opened: Ends) {
  const { extension, vsix, trust, settings, machineSettings, theme, env, viewport } = options;
  const user = { ...quiet, 'workbench.colorTheme': theme, ...(trust ? {} : restrictedMode), ...settings };
  const driver = (extension as string | null) !== null;
  const server = await startServer({ driver, vsix, trust, env, settings: user, machineSettings });
  opened.push(server.stop);
  const browser = options.browser ?? (await launchBrowser());
  if (!options.browser) opened.push(() => browser.close());
  const page = await browser.newPage({ viewport, reducedMotion: 'reduce' });
  opened.push(() => page.close());
  if (options.language !== undefined) await speak(page, options.language);
  return { server, page };
}

/** Opens a window. A relative `workspace` is below the root. */
export async function openVSCode(given: WindowOptions): Promise<VSCode> {
  const options = { ...defaults, ...given } as WindowOptions & typeof defaults;
  const opened: Ends = [];
  const close = async () => {
    for (const end of opened.splice(0).reverse()) await end();
  };
  try {
    const { folder: parent, remove } = temporaryFolder('headroom-ui');
    opened.push(remove);
    const { workspace } = options;
    const folder = join(parent, typeof workspace === 'string' ? basename(workspace) : 'workspace');
    mkdirSync(folder);
    fill(folder, workspace);
    const { server, page } = await openPage(options, opened);
    const log = await collectLog(page, (options.extension as string | null) !== null);
    const machine = join(server.folder, 'data/Machine/settings.json');
    const vs = new VSCode(page, options, folder, machine, log, close);
    await page.goto(workbenchUrl(server, { folder, extension: options.extension, env: options.env }));
    await vs.ready();
    if (!options.trust) await vs.until('Restricted Mode', () => vs.restricted());
    return vs;
  } catch (error) {
    await close();
    throw error;
  }
}
