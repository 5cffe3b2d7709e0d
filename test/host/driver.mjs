// VS Code's real workbench in a headless browser, used as a person uses it. README.md lists what a window can do.
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import { temporaryFolder } from '../../scripts/lib/temporary.mjs';
import { launchBrowser } from './browser.mjs';
import * as editor from './driver/editor.mjs';
import * as palette from './driver/palette.mjs';
import * as panels from './driver/panels.mjs';
import * as statusBar from './driver/statusBar.mjs';
import { untilWithin } from './driver/wait.mjs';
import { startServer, workbenchUrl } from './server.mjs';
import { quiet, restrictedMode } from './settings.mjs';

const LOAD_MS = 45_000;
/** Several times what a step takes on two busy cores. */
const STEP_MS = 20_000;
/** Over nothing that reacts, and where no hover reaches: the empty middle of the status bar. */
const PARKING = [640, 786];

/** A temporary copy, as VS Code edits what it opens. */
function temporaryWorkspace(workspace) {
  const { folder: parent, remove } = temporaryFolder('headroom-ui');
  const folder = join(parent, typeof workspace === 'string' ? basename(workspace) : 'workspace');
  mkdirSync(folder);
  if (typeof workspace === 'function') workspace(folder);
  else if (workspace) cpSync(workspace, folder, { recursive: true });
  return { folder, remove };
}

/** Hosts asked outside this machine. Webview files have addresses of their own that a service worker answers. */
function watchRequests(page) {
  const external = new Set();
  page.on('request', request => {
    const { hostname } = new URL(request.url());
    const local =
      hostname === '' || hostname === '127.0.0.1' || hostname.endsWith('.vscode-resource.vscode-cdn.net');
    if (!local) external.add(hostname);
  });
  return external;
}

/** What the extension host and the page say: for the reader of a failure. */
async function collectLog(page, driver) {
  const log = [];
  page.on('pageerror', error => log.push(`page error: ${error.message}`));
  if (driver) {
    await page.exposeFunction(
      'codeAutomationLog',
      (type, args) => void log.push(`${type}: ${args.join(' ')}`),
    );
  }
  return log;
}

const ready = page => page.locator('.monaco-workbench .statusbar-item').first().waitFor({ timeout: LOAD_MS });

/** By VS Code's own command, which first writes down what is open; the browser's reload loses the last seconds. */
async function reloaded(vs) {
  const loaded = vs.page.waitForEvent('load', { timeout: LOAD_MS });
  await vs.command('Developer: Reload Window');
  await loaded;
  await ready(vs.page);
}

/** Pictures of the page, without animations; the mouse goes away unless it holds a hover open. */
function camera(page, parkMouse, folder) {
  if (folder) mkdirSync(folder, { recursive: true });
  return async (name, { keepMouse = false } = {}) => {
    if (!folder) return;
    if (!keepMouse) await parkMouse();
    await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
  };
}

/**
 * The driver on a page that shows a workbench: its functions as methods, `open(vs, file)` as `vs.open(file)`.
 * Resolves when the workbench is there.
 */
export async function windowOn(page, { timeout = STEP_MS, shots } = {}) {
  page.setDefaultTimeout(timeout);
  await ready(page);
  const parkMouse = () => page.mouse.move(...PARKING);
  const vs = { page, parkMouse, until: untilWithin(timeout), shot: camera(page, parkMouse, shots) };
  for (const part of [palette, editor, statusBar, panels]) {
    for (const [name, act] of Object.entries(part)) vs[name] = (...given) => act(vs, ...given);
  }
  return vs;
}

/** Server, browser and page; each is noted in `opened` with how to close it. */
async function openPage(options, opened) {
  const { extension, vsix, trust, settings, machineSettings, theme, env, viewport, log } = options;
  const user = { ...quiet, 'workbench.colorTheme': theme, ...(trust ? {} : restrictedMode), ...settings };
  const forServer = { driver: extension !== null, vsix, trust, env, settings: user, machineSettings, log };
  const server = await startServer(forServer);
  opened.push(server.stop);
  const browser = options.browser ?? (await launchBrowser());
  if (!options.browser) opened.push(() => browser.close());
  const page = await browser.newPage({ viewport, reducedMotion: 'reduce' });
  opened.push(() => page.close());
  return { server, browser, page };
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
  timeout: STEP_MS,
};

/**
 * Opens a window.
 * - `workspace`: folder to copy and open, or a function that fills an empty one.
 * - `extension`: folder of the extension under development, this repository's by default; null with `vsix`.
 * - `vsix`: packaged extensions to install: no smoke-test driver then, so toasts appear as they do for users.
 * - `trust`: false opens the folder in Restricted Mode.
 * - `settings`, `machineSettings`, `theme`, `env`: user settings; settings of scope `machine`; colour theme; environment of server and extension host (a PATH with
 *   a replayed nvidia-smi).
 * - `browser`: another window's, to share it. `shots`: folder for pictures. `log`: file for what the server prints.
 *   `timeout`: of every single step, in ms.
 */
export async function openVSCode(given) {
  const options = { ...defaults, ...given };
  const opened = [];
  const close = async () => {
    for (const end of opened.splice(0).reverse()) await end();
  };
  try {
    const { folder, remove } = temporaryWorkspace(options.workspace);
    opened.push(remove);
    const { server, browser, page } = await openPage(options, opened);
    const external = watchRequests(page);
    const log = await collectLog(page, options.extension !== null);
    const { env, extension } = options;
    await page.goto(workbenchUrl(server, { folder, extension, env }));
    const vs = await windowOn(page, options);
    Object.assign(vs, {
      browser,
      server,
      workspace: folder,
      /** Hosts asked outside this machine: must stay empty. */
      external,
      log,
      path: (...parts) => join(folder, ...parts),
      read: file => readFileSync(join(folder, file), 'utf8'),
      reload: () => reloaded(vs),
      close,
    });
    if (!options.trust) await vs.until('Restricted Mode', vs.restricted);
    return vs;
  } catch (error) {
    await close();
    throw error;
  }
}
