// npm start [-- PATH] [-- --no-open]
// Prints `headroom check` for a folder (the sample workspace by default), then opens VS Code on it with Headroom.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build, install } from './lib/build.mjs';
import { findCode, hasDisplay, programOf } from './lib/desktop.mjs';
import { exitOnSignals, run } from './lib/processes.mjs';
import { root } from './lib/root.mjs';
import { oldNode } from './lib/nodeVersion.mjs';
import { startServer, workbenchUrl } from '../test/host/server.mjs';
import { calm } from '../test/host/settings.mjs';

const CHECK_MS = 300_000;
const OPEN_MS = 60_000;

const say = line => process.stderr.write(`${line}\n`);

/** A problem that the user can fix; the message says how. */
class Problem extends Error {}

function parse() {
  try {
    const options = { 'no-open': { type: 'boolean', default: false } };
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new Problem(`${error.message} Usage: npm start -- [PATH] [--no-open]`);
  }
}

// npm runs scripts in the repository; a relative path starts at the folder where the user typed it.
const from = process.env.INIT_CWD ?? process.cwd();

function readArguments() {
  const { values, positionals } = parse();
  const path = positionals[0] === undefined ? join(root, 'media/sample') : resolve(from, positionals[0]);
  if (positionals.length > 1) {
    throw new Problem('npm start takes one path: the folder or the config to open.');
  }
  if (!existsSync(path)) {
    throw new Problem(`There is nothing at ${path}: give a folder or a config that exists.`);
  }
  return { path, open: !values['no-open'] };
}

/** The folder's own target, as in the editor: `headroom.target.*` of its settings, which may contain comments. */
function targetOptions(folder) {
  const file = join(folder, '.vscode/settings.json');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const valueOf = key =>
    new RegExp(`^\\s*"headroom\\.target\\.${key}"\\s*:\\s*"?([^",\\n]+)"?`, 'm').exec(text)?.[1];
  const gpu = valueOf('gpu');
  const count = valueOf('gpuCount');
  return [...(gpu ? ['--gpu', gpu] : []), ...(Number(count) > 0 ? ['--gpus', count] : [])];
}

/** False if a config could not be read. Verdicts are not failures: the sample has a config that does not fit. */
async function check(path, folder) {
  const short = relative(from, path);
  const named = short === '' ? '.' : short.startsWith('..') ? path : short;
  const args = [join(root, 'dist/cli.js'), 'check', named, ...targetOptions(folder)];
  const options = { cwd: from, stdio: ['ignore', 'inherit', 'inherit'], timeoutMs: CHECK_MS };
  const { status } = await run(process.execPath, args, options);
  return status !== null && status >= 0 && status <= 2;
}

/** Opens a desktop window if possible. `code` returns as soon as the window is open. */
async function openOnDesktop(folder) {
  const code = hasDisplay() ? findCode() : null;
  const command = code && process.platform === 'win32' ? programOf(code) : code;
  if (!command) return false;
  say('Opening VS Code …');
  const { status, output } = await run(command, [`--extensionDevelopmentPath=${root}`, folder], {
    timeoutMs: OPEN_MS,
  });
  if (status !== 0) {
    say(`${command} did not open a window (${output || `status ${status}`}); trying the browser.`);
  }
  return status === 0;
}

async function openInBrowser(folder) {
  say('Starting VS Code for the browser …');
  const startupEditor = existsSync(join(folder, 'README.md')) ? 'readme' : 'none';
  const settings = { ...calm, 'workbench.startupEditor': startupEditor };
  const server = await startServer({ settings, driver: false, linked: [root] });
  process.stdout.write(`${workbenchUrl(server, { folder })}\n`);
  say('Open this address in a browser on this machine. Ctrl+C ends it.');
  const status = await new Promise(ended => server.child.once('exit', ended));
  throw new Problem(`VS Code's server ended by itself (status ${status}); start again.`);
}

async function start() {
  const old = oldNode();
  if (old) throw new Problem(old);
  const { path, open } = readArguments();
  const failure = await install();
  if (failure) throw new Problem(failure);
  say('Building …');
  await build();
  const folder = statSync(path).isDirectory() ? path : dirname(path);
  say(`Checking ${path} …`);
  const readable = await check(path, folder);
  if (!open) process.exitCode = readable ? 0 : 1;
  if (open && !(await openOnDesktop(folder))) await openInBrowser(folder);
}

exitOnSignals();
start().catch(error => {
  say(error instanceof Problem ? error.message : error.stack);
  process.exit(1);
});
