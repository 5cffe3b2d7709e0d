// The framework of every UI suite: a window, and tests that each start in it as if it had just opened.
//
//   inVSCode('a config that does not fit', { workspace: 'media/sample' }, test => {
//     test('says so above the text', async vs => {
//       await vs.open('lora.yml');
//       await vs.codeLenses(/does not fit/);
//     });
//   });
//
// Suites that request the same window share it, one after the other: each test has its suite's folder to itself,
// refilled. No test continues where another ended: a long flow is one test, `journeyInVSCode`. Files run side by
// side, each in one of as many processes as there are cores. `vs` is the driver's window (test/host/README.md). Pictures:
// out/shots/<suite>-<nn>-<test>.png; for a failed test also the window's log and notifications.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from '../host/browser.mjs';
import { openVSCode } from '../host/driver';
import type { VSCode, WindowOptions } from '../host/driver';
import { exitOnSignals } from '../../scripts/lib/processes.mjs';
import { root } from '../../scripts/lib/root.mjs';

/** Ends the titles of the dozen most important flows through a window, which `npm test` also runs. */
export const GATE = '@gate';

/** The list of plans, as opposed to the question that follows it: its rows start with the result. */
export const PLAN = /^(?:fits|tight) · /;

export const shots = join(root, 'out/shots');
const OPEN_MS = 90_000;
/** What a suite starts first, such as a cluster, takes minutes on a machine with other work. */
const START_MS = 300_000;

/** For a suite's `timeout`: its steps wait for searches, comparisons or jobs, which a machine with other work delays. */
export const SLOW_MS = 120_000;

let browser: Promise<Browser> | null = null;

/** One browser for all suites of a process; it ends with the process. */
export const sharedBrowser = {
  open(): Promise<Browser> {
    if (browser === null) exitOnSignals();
    browser ??= launchBrowser();
    return browser;
  },
  async newPage(options: BrowserContextOptions): Promise<Page> {
    return (await sharedBrowser.open()).newPage(options);
  },
};

type Look = Omit<WindowOptions, 'workspace' | 'browser' | 'shots'>;

/** All options that a window cannot change later. */
function lookOf(options: SuiteOptions): Look {
  const { extension, vsix, trust, settings, machineSettings, theme, language, env, viewport, timeout } =
    options;
  const all = {
    ...{ extension, vsix, trust, settings, machineSettings },
    ...{ theme, language, env, viewport, timeout },
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

interface OpenWindow {
  readonly vs: VSCode;
  readonly look: Look;
}

/** With suites of other looks in between, the next one of a look still finds its window. */
const MOST_WINDOWS = 3;

/** Windows of earlier tests, the last used first. */
const windows: OpenWindow[] = [];

async function close({ vs }: OpenWindow): Promise<void> {
  windows.splice(0, windows.length, ...windows.filter(one => one.vs !== vs));
  await vs.close();
}

async function closeAll(look: Look): Promise<void> {
  for (const one of windows.filter(each => isDeepStrictEqual(each.look, look))) await close(one);
}

/** A healthy window with the requested look, else a new one. */
async function windowFor(asked: SuiteOptions): Promise<VSCode> {
  const { workspace } = asked;
  const look = lookOf(asked);
  const folder = typeof workspace === 'string' ? join(root, workspace) : workspace;
  const there = windows.find(one => isDeepStrictEqual(one.look, look));
  if (there !== undefined) {
    try {
      await there.vs.begin(folder);
      windows.splice(0, windows.length, there, ...windows.filter(one => one !== there));
      return there.vs;
    } catch (error) {
      console.log(`      a new window: ${String(error).split('\n')[0]}`);
      await close(there);
    }
  }
  for (const one of windows.slice(MOST_WINDOWS - 1)) await close(one);
  const given = { ...look, ...(folder !== undefined && { workspace: folder }) };
  const vs = await openVSCode({ ...given, browser: await sharedBrowser.open(), shots });
  windows.unshift({ vs, look });
  return vs;
}

interface SuiteOptions extends WindowOptions {
  /** Why the suite cannot run here, null if it can. */
  readonly skip?: () => string | null;
  /** Ends what the options started. */
  readonly end?: () => Promise<void> | void;
}

type Given = SuiteOptions | (() => SuiteOptions | Promise<SuiteOptions>);

interface TestOptions {
  /** The picture is taken without moving the mouse, so a hover stays open. */
  readonly keepMouse?: boolean;
  /** It starts in an unused window. */
  readonly fresh?: boolean;
}

type AddTest = (name: string, run: (vs: VSCode) => Promise<void>, options?: TestOptions) => void;

const slug = (title: string): string =>
  title
    .replace(GATE, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** Saves information about a failure: a picture, the window's log, its notifications. */
async function keepTraces(vs: VSCode, name: string): Promise<void> {
  await vs.shot(name, { keepMouse: true });
  const notified = await vs.notificationsNow().catch(() => []);
  const lines = [...vs.log, ...notified.map(text => `notification: ${text}`)];
  writeFileSync(join(shots, `${name}.log`), lines.join('\n'));
}

/** Takes a picture after a test or a step; after a failure, saves information about it and closes the window. */
async function pictured(
  vs: VSCode,
  picture: string,
  keepMouse: boolean,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run();
    await vs.shot(picture, { keepMouse });
  } catch (error) {
    await keepTraces(vs, `${picture}-failed`);
    // No later test may start from its leftovers.
    for (const one of windows.filter(each => each.vs === vs)) await close(one);
    throw error;
  }
  const hosts = [...vs.external];
  if (hosts.length > 0) throw new Error(`it asked hosts outside this machine: ${hosts.join(', ')}`);
}

interface Suite {
  /** A window to start in. */
  readonly begin: (isFresh: boolean) => Promise<VSCode>;
  /** The next picture's name. */
  readonly picture: (name: string) => string;
}

/** The common parts of a suite's tests: their options, or a function that returns them in time. */
function suiteOf(title: string, given: Given, isJourney: boolean): Suite {
  let asked: SuiteOptions = {};
  let count = 0;
  before(async function open() {
    this.timeout(typeof given === 'function' ? START_MS : OPEN_MS);
    asked = typeof given === 'function' ? await given() : given;
    const reason = asked.skip?.() ?? null;
    if (reason === null) return;
    console.log(`    skipped: ${reason}`);
    this.skip();
  });
  after(async () => {
    // The window may depend on what the options started; and a long flow leaves more than a reset can undo.
    if (asked.end || isJourney) await closeAll(lookOf(asked));
    await asked.end?.();
  });
  return {
    begin: async isFresh => {
      if (isFresh) await closeAll(lookOf(asked));
      return windowFor(asked);
    },
    picture: name => `${slug(title)}-${String(++count).padStart(2, '0')}-${slug(name)}`,
  };
}

/** Tests in a window that do not depend on each other. */
export function inVSCode(title: string, given: Given, define: (test: AddTest) => void): void {
  describe(title, () => {
    const suite = suiteOf(title, given, false);
    define((name, run, { keepMouse = false, fresh = false } = {}) => {
      const picture = suite.picture(name);
      it(name, async () => {
        const vs = await suite.begin(fresh);
        await pictured(vs, picture, keepMouse, () => run(vs));
      });
    });
  });
}

type AddStep = (
  name: string,
  run: (vs: VSCode) => Promise<void>,
  options?: Pick<TestOptions, 'keepMouse'>,
) => void;

/** Adds the failed step to the error. */
function inStep(number: number, name: string, error: unknown): unknown {
  if (error instanceof Error) error.message = `step ${number}, "${name}": ${error.message}`;
  return error;
}

/** One test that is a long flow through a window: each step continues where the previous one ended. */
export function journeyInVSCode(title: string, given: Given, define: (step: AddStep) => void): void {
  describe(title, () => {
    const suite = suiteOf(title, given, true);
    const steps: { name: string; picture: string; keepMouse: boolean; run: (vs: VSCode) => Promise<void> }[] =
      [];
    define((name, run, { keepMouse = false } = {}) => {
      steps.push({ name, picture: suite.picture(name), keepMouse, run });
    });
    const [first, last] = [steps[0]?.name, steps.at(-1)?.name];
    it(`passes all steps, from "${first}" to "${last}"`, async function journey() {
      const vs = await suite.begin(true);
      for (const [at, { name, picture, keepMouse, run }] of steps.entries()) {
        // Each step gets a test's time.
        this.timeout(this.timeout());
        await pictured(vs, picture, keepMouse, () => run(vs)).catch((error: unknown) => {
          throw inStep(at + 1, name, error);
        });
      }
    });
  });
}
