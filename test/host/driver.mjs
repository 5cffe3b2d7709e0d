// VS Code's real workbench in a headless browser, used as a person uses it. README.md lists what a window can do.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import { launchBrowser } from './browser.mjs';
import { editor } from './driver/editor.mjs';
import { palette } from './driver/palette.mjs';
import { panels } from './driver/panels.mjs';
import { statusBar } from './driver/statusBar.mjs';
import { untilWithin } from './driver/wait.mjs';
import { startServer, workbenchUrl } from './server.mjs';
import { quiet, restricted } from './settings.mjs';

const LOAD_MS = 45_000;
/** Over nothing that reacts: below the text, right of the side bar. */
const PARKING = [700, 650];

/**
 * What each part of the driver gets of the window.
 * @typedef {{
 *   page: import('playwright-core').Page,
 *   until: ReturnType<typeof untilWithin>,
 *   parkMouse: () => Promise<void>,
 * }} Surroundings
 */

/** A temporary copy, as VS Code edits what it opens. */
function temporaryWorkspace(workspace) {
  const parent = mkdtempSync(join(tmpdir(), 'headroom-ui-'));
  const folder = join(parent, typeof workspace === 'string' ? basename(workspace) : 'workspace');
  mkdirSync(folder);
  if (typeof workspace === 'function') workspace(folder);
  else if (workspace) cpSync(workspace, folder, { recursive: true });
  return {
    folder,
    remove: () => rmSync(parent, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
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

function surfaces(page, timeout) {
  const until = untilWithin(timeout);
  const parkMouse = () => page.mouse.move(...PARKING);
  const surroundings = { page, until, parkMouse };
  const keys = palette(surroundings);
  return {
    ...surroundings,
    ...keys,
    ...editor(surroundings),
    ...statusBar(surroundings),
    ...panels({ ...surroundings, ...keys }),
  };
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
 * Opens a window.
 * - `workspace`: folder to copy and open, or a function that fills an empty one.
 * - `extension`: folder of the extension under development, this repository's by default; null with `vsix`.
 * - `vsix`: packaged extensions to install: no smoke-test driver then, so toasts appear as they do for users.
 * - `trust`: false opens the folder in Restricted Mode.
 * - `settings`, `theme`, `env`: user settings; colour theme; environment of server and extension host (a PATH with
 *   a replayed nvidia-smi).
 * - `browser`: another window's, to share it. `shots`: folder for pictures. `timeout`: of every single step.
 */
export async function openVSCode({
  workspace,
  extension = root,
  vsix = [],
  trust = true,
  settings = {},
  theme = 'Dark Modern',
  env = {},
  viewport = { width: 1280, height: 800 },
  browser,
  shots,
  log: serverLog,
  timeout = 15_000,
} = {}) {
  const driver = extension !== null;
  const opened = [];
  const close = async () => {
    for (const end of opened.splice(0).reverse()) await end();
  };
  try {
    const { folder, remove } = temporaryWorkspace(workspace);
    opened.push(remove);
    const user = { ...quiet, 'workbench.colorTheme': theme, ...(trust ? {} : restricted), ...settings };
    const server = await startServer({ driver, vsix, trust, env, settings: user, log: serverLog });
    opened.push(server.stop);
    const shared = browser ?? (await launchBrowser());
    if (!browser) opened.push(() => shared.close());
    const page = await shared.newPage({ viewport, reducedMotion: 'reduce' });
    opened.push(() => page.close());
    page.setDefaultTimeout(timeout);
    const external = watchRequests(page);
    const log = await collectLog(page, driver);
    await page.goto(workbenchUrl(server, { folder, extension: extension ?? undefined, env }));
    await ready(page);
    const window = surfaces(page, timeout);
    if (!trust) await window.until('Restricted Mode', window.restricted);
    return {
      ...window,
      browser: shared,
      server,
      workspace: folder,
      /** Hosts asked outside this machine: must stay empty. */
      external,
      log,
      path: (...parts) => join(folder, ...parts),
      read: file => readFileSync(join(folder, file), 'utf8'),
      shot: camera(page, window.parkMouse, shots),
      reload: async () => {
        await page.reload();
        await ready(page);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
