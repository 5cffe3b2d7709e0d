// What every UI suite is written with: one window for its tests, a picture after each of them.
//
//   inVSCode('a config that does not fit', { workspace: 'media/sample' }, test => {
//     test('says so above the text', async vs => {
//       await vs.open('lora.yml');
//       await vs.codeLenses(/does not fit/);
//     });
//   });
//
// `vs` is the driver's window (test/host/README.md). Pictures: out/shots/<suite>-<nn>-<test>.png; of a test that
// failed also what the window logged and notified of.
import { after, before, describe, it } from 'mocha';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import { launchBrowser } from '../host/browser.mjs';
import { openVSCode } from '../host/driver.mjs';

/** Ends the titles of what `npm test` runs, too: the dozen ways through a window that matter most. */
export const GATE = '@gate';

export const shots = join(root, 'out/shots');
const OPEN_MS = 90_000;

let browser;

/** One browser for all suites of a run. */
export const sharedBrowser = {
  async open() {
    browser = await launchBrowser();
  },
  newPage: options => browser.newPage(options),
  close: () => browser?.close(),
};

const slug = title =>
  title
    .replace(GATE, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** What helps to understand a failure: a picture, what the window logged, what it notified of. */
async function keepTraces(vs, name) {
  await vs.shot(name, { keepMouse: true });
  const notified = await vs.notificationsNow().catch(() => []);
  const lines = [...vs.log, ...notified.map(text => `notification: ${text}`)];
  writeFileSync(join(shots, `${name}.log`), lines.join('\n'));
}

/**
 * A suite in a window of its own. `options` are the driver's, or give them when it is time; a relative `workspace` is below
 * the root. `skip` tells why the suite cannot be run here, null when it can; `end` ends what the options began.
 */
export function inVSCode(title, given, define) {
  describe(title, () => {
    let vs;
    let count = 0;
    let options = {};

    before(async function open() {
      this.timeout(OPEN_MS);
      options = typeof given === 'function' ? await given() : given;
      const reason = options.skip?.() ?? null;
      if (reason !== null) {
        console.log(`    skipped: ${reason}`);
        this.skip();
      }
      const workspace =
        typeof options.workspace === 'string' ? join(root, options.workspace) : options.workspace;
      vs = await openVSCode({ ...options, workspace, browser, shots });
    });

    after(async () => {
      await vs?.close();
      await options.end?.();
    });

    define((name, run, { keepMouse = false } = {}) => {
      const number = String(++count).padStart(2, '0');
      it(name, async () => {
        const picture = `${slug(title)}-${number}-${slug(name)}`;
        try {
          await run(vs);
        } catch (error) {
          await keepTraces(vs, `${picture}-failed`);
          throw error;
        }
        await vs.shot(picture, { keepMouse });
      });
    });

    it('asks no host outside this machine', () => {
      const hosts = [...vs.external];
      if (hosts.length > 0) throw new Error(`asked: ${hosts.join(', ')}`);
    });
  });
}
