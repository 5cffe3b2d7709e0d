// What every UI suite is written with: a window, and tests that each begin in it as though it had just opened.
//
//   inVSCode('a config that does not fit', { workspace: 'media/sample' }, test => {
//     test('says so above the text', async vs => {
//       await vs.open('lora.yml');
//       await vs.codeLenses(/does not fit/);
//     });
//   });
//
// Suites that ask for the same window share it, one after the other: each test has the folder of its suite to itself,
// filled anew. `vs` is the driver's window (test/host/README.md). Pictures: out/shots/<suite>-<nn>-<test>.png; of a
// test that failed also what the window logged and notified of.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from '../host/browser.mjs';
import { openVSCode } from '../host/driver';
import type { VSCode, WindowOptions } from '../host/driver';
import { root } from '../../scripts/lib/root.mjs';

/** Ends the titles of what `npm test` runs, too: the dozen ways through a window that matter most. */
export const GATE = '@gate';

/** The list of plans, told from the question that follows it: its rows begin with the key that changes. */
export const PLAN = /^[a-z][\w.]+(:| \S+ →)/;

export const shots = join(root, 'out/shots');
const OPEN_MS = 90_000;

let browser: Browser | null = null;

/** One browser for all suites of a run. */
export const sharedBrowser = {
  async open(): Promise<Browser> {
    browser ??= await launchBrowser();
    return browser;
  },
  async newPage(options: BrowserContextOptions): Promise<Page> {
    return (await sharedBrowser.open()).newPage(options);
  },
  async close(): Promise<void> {
    await closeWindow();
    await browser?.close();
    browser = null;
  },
};

type Look = Omit<WindowOptions, 'workspace' | 'browser' | 'shots'>;

/** All that a window cannot change once it is there. */
function lookOf(options: SuiteOptions): Look {
  const { extension, vsix, trust, settings, machineSettings, theme, env, viewport, timeout } = options;
  const all = { extension, vsix, trust, settings, machineSettings, theme, env, viewport, timeout };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** Which suites may share a window, by their titles: those of one key. */
const keys = new Map<string, string>();

/** So that suites that share a window come one after the other, and else in the order of their files. */
export function groupedByWindow<S extends { readonly title: string }>(suites: readonly S[]): S[] {
  const keyOf = ({ title }: S): string => keys.get(title) ?? title;
  const order = [...new Set(suites.map(keyOf))];
  return suites.toSorted((one, other) => order.indexOf(keyOf(one)) - order.indexOf(keyOf(other)));
}

/** The window that the last test had. */
let last: { readonly vs: VSCode; readonly look: Look } | null = null;

async function closeWindow(): Promise<void> {
  const vs = last?.vs;
  last = null;
  await vs?.close();
}

/** The last window where it looks as asked for and is well, else a new one. */
async function windowFor(asked: SuiteOptions): Promise<VSCode> {
  const { workspace } = asked;
  const look = lookOf(asked);
  const folder = typeof workspace === 'string' ? join(root, workspace) : workspace;
  if (last !== null && isDeepStrictEqual(last.look, look)) {
    try {
      await last.vs.begin(folder);
      return last.vs;
    } catch (error) {
      console.log(`      a new window: ${String(error).split('\n')[0]}`);
    }
  }
  await closeWindow();
  const given = { ...look, ...(folder !== undefined && { workspace: folder }) };
  const vs = await openVSCode({ ...given, browser: await sharedBrowser.open(), shots });
  last = { vs, look };
  return vs;
}

export interface SuiteOptions extends WindowOptions {
  /** Why the suite cannot be run here, null when it can. */
  readonly skip?: () => string | null;
  /** Ends what the options began. */
  readonly end?: () => Promise<void> | void;
  /** Each test goes on where the one before it ended: what is tested is one long way. */
  readonly inOrder?: boolean;
}

export type Given = SuiteOptions | (() => SuiteOptions | Promise<SuiteOptions>);

interface TestOptions {
  /** The picture is taken with the mouse where it is: a hover stays open. */
  readonly keepMouse?: boolean;
  /** It begins in a window that nobody has used. */
  readonly fresh?: boolean;
}

export type AddTest = (name: string, run: (vs: VSCode) => Promise<void>, options?: TestOptions) => void;

const slug = (title: string): string =>
  title
    .replace(GATE, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** What helps to understand a failure: a picture, what the window logged, what it notified of. */
async function keepTraces(vs: VSCode, name: string): Promise<void> {
  await vs.shot(name, { keepMouse: true });
  const notified = await vs.notificationsNow().catch(() => []);
  const lines = [...vs.log, ...notified.map(text => `notification: ${text}`)];
  writeFileSync(join(shots, `${name}.log`), lines.join('\n'));
}

/** Tests in a window; its options, or what gives them when it is time. A relative `workspace` is below the root. */
export function inVSCode(title: string, given: Given, define: (test: AddTest) => void): void {
  if (typeof given === 'object' && !given.inOrder) keys.set(title, JSON.stringify(lookOf(given)));
  describe(title, () => {
    let asked: SuiteOptions = {};
    let vs: VSCode | null = null;
    let count = 0;

    before(async function open() {
      this.timeout(OPEN_MS);
      asked = typeof given === 'function' ? await given() : given;
      const reason = asked.skip?.() ?? null;
      if (reason === null) return;
      console.log(`    skipped: ${reason}`);
      this.skip();
    });

    after(async () => {
      // What the options began may be what the window runs on.
      if (asked.end) await closeWindow();
      await asked.end?.();
    });

    const begin = async (isFresh: boolean): Promise<VSCode> => {
      if (vs !== null && asked.inOrder) return vs;
      if (isFresh || asked.inOrder) await closeWindow();
      return windowFor(asked);
    };

    define((name, run, { keepMouse = false, fresh = false } = {}) => {
      const number = String(++count).padStart(2, '0');
      const picture = `${slug(title)}-${number}-${slug(name)}`;
      it(name, async () => {
        vs = await begin(fresh);
        try {
          await run(vs);
          await vs.shot(picture, { keepMouse });
        } catch (error) {
          await keepTraces(vs, `${picture}-failed`);
          // Whatever it has left there is nobody's beginning.
          if (!asked.inOrder) await closeWindow();
          throw error;
        }
        const hosts = [...vs.external];
        if (hosts.length > 0) throw new Error(`it asked hosts outside this machine: ${hosts.join(', ')}`);
      });
    });
  });
}
