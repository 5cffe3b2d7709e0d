import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { Script } from 'node:vm';
import { version } from '../../package.json';
import { cacheFolder } from '../files/cacheFolder';

/** Each verb needs other parts of the program, so each has its own cache. */
const VERBS = ['check', 'explain', 'optimize', 'compare', 'gpus', 'run', 'jobs', 'logs', 'stop', 'resume'];

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The file of a program's compiled code for a verb; null if it is not cached. It is specific to the Node release,
 * and in the user's own folder, because everyone who can write there decides what runs.
 */
export function cacheFileFor(program: string, verb: string | undefined, env: Variables): string | null {
  // The variable that also disables Node's own cache (from 22.1 on).
  const { NODE_DISABLE_COMPILE_CACHE: isOff } = env;
  if (isOff) return null;
  const part = VERBS.find(known => known === verb) ?? 'other';
  try {
    const { size, mtimeMs } = statSync(program);
    const name = [
      basename(program, '.js'),
      part,
      process.version,
      process.arch,
      version,
      size,
      Math.round(mtimeMs),
    ];
    const folder = cacheFolder(env);
    return isAbsolute(folder) ? join(folder, 'compiled', `${name.join('_')}.bin`) : null;
  } catch {
    return null;
  }
}

/** Chunks of the program that several files share. */
const SHARED = /^\.\/(shared-\d+\.js)$/;

interface Loaded {
  readonly exports: unknown;
}

/**
 * Runs a CommonJS file and the shared chunks next to it, with compiled code from the file that `cacheOf` names;
 * with `keeps`, missing code is written there when the process ends.
 */
export function runCompiled(file: string, cacheOf: (file: string) => string | null, keeps: boolean): void {
  const loaded = new Map<string, Loaded>();
  // A single listener, because Node warns about more than ten.
  const ending: (() => void)[] = [];
  process.once('exit', () => {
    for (const end of ending) end();
  });
  const load = (path: string): unknown => {
    const before = loaded.get(path);
    if (before) return before.exports;
    const module = { exports: {} };
    loaded.set(path, module);
    const usual = createRequire(path);
    const require = (name: string): unknown => {
      const [, shared] = SHARED.exec(name) ?? [];
      return shared === undefined ? usual(name) : load(join(dirname(path), shared));
    };
    const run = compiled(path, cacheOf(path), keeps ? ending : null);
    run.call(module.exports, module.exports, Object.assign(require, usual), module, path, dirname(path));
    return module.exports;
  };
  load(file);
}

function compiled(file: string, cache: string | null, ending: (() => void)[] | null) {
  const cachedData = cache === null ? undefined : contentOf(cache);
  const script = new Script(Module.wrap(readFileSync(file, 'utf8')), { filename: file, cachedData });
  if (cache !== null && ending && (cachedData === undefined || script.cachedDataRejected)) {
    // At the end, so that the cache contains the functions that were used.
    ending.push(() => {
      saveCache(cache, script.createCachedData());
    });
  }
  return script.runInThisContext() as (...given: readonly unknown[]) => void;
}

function contentOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Replaces the caches of older programs. Without write permission, the next start is simply not faster. */
function saveCache(file: string, content: Buffer): void {
  try {
    const folder = dirname(file);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const unfinished = `${file}.${process.pid}`;
    writeFileSync(unfinished, content, { mode: 0o600 });
    const same = `${basename(file).split('_', 4).join('_')}_`;
    for (const name of readdirSync(folder)) {
      if (name.startsWith(same) && name.endsWith('.bin')) rmSync(join(folder, name), { force: true });
    }
    renameSync(unfinished, file);
  } catch {
    return;
  }
}
