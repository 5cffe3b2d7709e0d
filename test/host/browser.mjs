// The browser that shows the workbench: an existing Chromium, or one that can be installed.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { root } from '../../scripts/lib/root.mjs';
import { run } from '../../scripts/lib/processes.mjs';
import { CannotRunHere } from '../../scripts/lib/suite.mjs';

const { PROGRAMFILES = '', 'PROGRAMFILES(X86)': PROGRAMFILES_X86 = '' } = process.env;

const usualPlaces = {
  linux: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map(
    name => `/usr/bin/${name}`,
  ),
  darwin: ['Chromium', 'Google Chrome', 'Microsoft Edge'].map(
    name => `/Applications/${name}.app/Contents/MacOS/${name}`,
  ),
  win32: [
    join(PROGRAMFILES, 'Google/Chrome/Application/chrome.exe'),
    join(PROGRAMFILES_X86, 'Microsoft/Edge/Application/msedge.exe'),
  ],
};

/** $CHROMIUM, or one in a usual place, or Playwright's own; null if there is none. */
function findChromium() {
  const { CHROMIUM } = process.env;
  if (CHROMIUM) return existsSync(CHROMIUM) ? CHROMIUM : null;
  const places = [...(usualPlaces[process.platform] ?? []), chromium.executablePath()];
  return places.find(place => existsSync(place)) ?? null;
}

/** Debian's package, if we may install packages. */
async function installWithApt() {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-qq'], { env, timeoutMs: 120_000 });
  const packages = ['chromium', 'fonts-dejavu-core'];
  const args = ['install', '-y', '-qq', '--no-install-recommends', ...packages];
  await run('apt-get', args, { env, timeoutMs: 300_000 });
}

/** Playwright's build, if its download server can be reached. */
async function installWithPlaywright() {
  const cli = join(root, 'node_modules/playwright-core/cli.js');
  await run(process.execPath, [cli, 'install', 'chromium', '--no-shell'], { timeoutMs: 300_000 });
}

/**
 * Returns a Chromium's path; installs one if there is none, and prints that. Throws CannotRunHere if that is
 * impossible.
 */
export async function prepareChromium() {
  const { CHROMIUM } = process.env;
  if (CHROMIUM && !existsSync(CHROMIUM)) throw new Error(`CHROMIUM names ${CHROMIUM}, which is not there.`);
  if (!findChromium()) {
    console.error('Installing Chromium …');
    await installWithApt();
  }
  if (!findChromium()) await installWithPlaywright();
  const found = findChromium();
  if (found) return found;
  throw new CannotRunHere('no Chromium, and none could be installed: install it or set CHROMIUM to its path');
}

/** Starts it headless. */
export async function launchBrowser() {
  const quiet = ['background-networking', 'component-update', 'quic', 'sync'].map(
    name => `--disable-${name}`,
  );
  const args = ['--disable-gpu', '--no-first-run', ...quiet];
  return chromium.launch({ executablePath: await prepareChromium(), args });
}
