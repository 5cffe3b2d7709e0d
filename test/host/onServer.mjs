// The host suite in VS Code's own web server, shown by a headless browser: no display, no desktop, no network.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launchBrowser } from './browser.mjs';
import { startServer, workbenchUrl } from './server.mjs';
import { quiet } from './settings.mjs';

/** The exit status of the shell's `timeout`. */
const HUNG = 124;

/** The protocol of VS Code's own browser tests: the page has one function to log and one to end. */
async function testRun(page, address, log) {
  let finish;
  const ended = new Promise(resolve => (finish = resolve));
  await page.exposeFunction('codeAutomationLog', (type, args) => log(`${type}: ${args.join(' ')}`));
  await page.exposeFunction('codeAutomationExit', (status, logs) => finish({ status, logs }));
  await page.goto(address);
  return ended;
}

async function runInPage(page, address, { out, limitMs }) {
  const log = line => appendFileSync(join(out, 'window.log'), `${line}\n`);
  page.on('pageerror', error => log(`page error: ${error.message}`));
  const late = new Promise(resolve => setTimeout(resolve, limitMs, { status: HUNG }).unref());
  const { status, logs } = await Promise.race([testRun(page, address, log), late]);
  if (status === HUNG) {
    console.error(`not finished after ${limitMs / 1000} s; picture: out/host/timeout.png`);
    await page.screenshot({ path: join(out, 'timeout.png') });
  }
  if (status !== 0 && logs) writeFileSync(join(out, 'vscode-logs.json'), JSON.stringify(logs, null, 2));
  return status;
}

/** Resolves with VS Code's exit status; keeps VS Code's own logs of a failed run. */
export async function runOnServer(job) {
  const log = join(job.out, 'server.log');
  const server = await startServer({ settings: quiet, log, linked: job.beside });
  try {
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      const { workspace, extension, tests, env } = job;
      return await runInPage(page, workbenchUrl(server, { folder: workspace, extension, tests, env }), job);
    } finally {
      await browser.close();
    }
  } finally {
    await server.stop();
  }
}
