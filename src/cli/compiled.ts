import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { Script } from 'node:vm';
import { version } from '../../package.json';

/** Each needs other parts of the program. */
const VERBS = ['check', 'explain', 'optimize', 'compare', 'gpus', 'run', 'jobs', 'logs', 'stop', 'resume'];

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Where the compiled form of a program lies, for what this verb needs of it; null where none is kept. It is for this
 * release of Node alone, and in a folder of the user's own: whoever can write there can say what runs.
 */
export function cacheFileFor(program: string, verb: string | undefined, env: Variables): string | null {
  // As Node's own cache is switched off (from 22.1 on).
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
    return isAbsolute(folder) ? join(folder, 'gpu-headroom', `${name.join('_')}.bin`) : null;
  } catch {
    return null;
  }
}

/** Where this system keeps what can be made again. */
export function cacheFolder({ XDG_CACHE_HOME: given, LOCALAPPDATA: local }: Variables): string {
  if (process.platform === 'win32' && local) return local;
  if (process.platform === 'darwin') return join(homedir(), 'Library/Caches');
  // Skips a folder that is not absolute (XDG Base Directory Specification).
  return given && isAbsolute(given) ? given : join(homedir(), '.cache');
}

/** Files of the program itself, which it shares with others. */
const SHARED = /^\.\/(shared-\d+\.js)$/;

interface Loaded {
  readonly exports: unknown;
}

/**
 * Runs a CommonJS file and what it shares with others next to it, compiled before if the file that \`cacheOf\` names has that;
 * \`keeps\`: else it is put there when the process ends.
 */
export function runCompiled(file: string, cacheOf: (file: string) => string | null, keeps: boolean): void {
  const loaded = new Map<string, Loaded>();
  // One listener for all: Node warns of more than ten.
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
    // Only then what was needed has been compiled.
    ending.push(() => {
      keep(cache, script.createCachedData());
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

/** Takes the place of what older programs have left. Where that is not allowed the next start is no faster: no more. */
function keep(file: string, content: Buffer): void {
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
