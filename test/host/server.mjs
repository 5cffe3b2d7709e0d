// VS Code's own web server on a free loopback port, with its data in a temporary folder.
import { randomBytes } from 'node:crypto';
import { createWriteStream, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run, start, stop } from '../../scripts/lib/processes.mjs';
import { temporaryFolder } from '../../scripts/lib/temporary.mjs';
import { prepareHost } from './pkg/prepare.mjs';

const START_MS = 30_000;
const INSTALL_MS = 60_000;

/** Variables that the terminal of another VS Code adds would be mistaken for our own. */
const inherited = () => Object.entries(process.env).filter(([name]) => !/^(VSCODE|ELECTRON)_/.test(name));

/** No gallery, so no network requests. */
const environment = () => ({ ...Object.fromEntries(inherited()), EXTENSIONS_GALLERY: '{"serviceUrl":""}' });

function flags(folder, { driver, trust }) {
  return [
    ...['--host', '127.0.0.1', '--port', '0', '--accept-server-license-terms', '--disable-telemetry'],
    // A loopback port is open to every user of the machine and every page in a browser: the token protects it.
    ...['--connection-token-file', join(folder, 'token')],
    ...['--server-data-dir', folder, '--extensions-dir', join(folder, 'extensions')],
    ...(driver ? ['--enable-smoke-test-driver'] : []),
    ...(trust ? ['--disable-workspace-trust'] : []),
  ];
}

/** Files that the server expects in its folder; it later adds its logs and sockets. */
function layOut(folder, { settings, machineSettings, token }) {
  mkdirSync(join(folder, 'data/User'), { recursive: true });
  mkdirSync(join(folder, 'data/Machine'));
  writeFileSync(join(folder, 'data/Machine/settings.json'), JSON.stringify(machineSettings, null, 2));
  mkdirSync(join(folder, 'extensions'));
  writeFileSync(join(folder, 'data/User/settings.json'), JSON.stringify(settings, null, 2));
  writeFileSync(join(folder, 'token'), token, { mode: 0o600 });
}

/** Links extension folders as if installed: the window runs the folder's content as of loading. */
function linkExtensions(folder, extensions) {
  for (const extension of extensions) {
    const { publisher, name, version } = JSON.parse(readFileSync(join(extension, 'package.json'), 'utf8'));
    symlinkSync(extension, join(folder, 'extensions', `${publisher}.${name}-${version}`), 'junction');
  }
}

async function installExtension(host, folder, vsix) {
  const where = ['--server-data-dir', folder, '--extensions-dir', join(folder, 'extensions')];
  const args = [
    host.server,
    '--install-extension',
    vsix,
    '--force',
    '--accept-server-license-terms',
    ...where,
  ];
  const { status, output } = await run(host.node, args, { env: environment(), timeoutMs: INSTALL_MS });
  if (status !== 0) throw new Error(`VS Code did not install ${vsix}: ${output}`);
}

/** Resolves with the port as soon as the server prints it; otherwise rejects with the server's output. */
function listening(child) {
  let timer;
  const port = new Promise((resolve, reject) => {
    let said = '';
    const fail = why => reject(new Error(`VS Code's server ${why}:\n${said}`));
    timer = setTimeout(fail, START_MS, `did not start in ${START_MS / 1000} s`);
    child.once('error', error => fail(`did not start (${error.message})`));
    child.once('exit', status => fail(`ended with status ${status}`));
    child.stdout.on('data', data => {
      said += data;
      const match = /Extension host agent listening on (\d+)/.exec(said);
      if (match) resolve(Number(match[1]));
    });
  });
  return port.finally(() => clearTimeout(timer));
}

/** Starts the program itself; its output goes to the file `log`. */
function launch(host, folder, { driver, trust, env, log }) {
  const child = start(host.node, [host.server, ...flags(folder, { driver, trust })], {
    // Its sockets, temporary files and jobs are in the folder that is removed at the end; the user's own jobs are
    // not visible.
    env: {
      ...environment(),
      HEADROOM_STATE: join(folder, 'state'),
      ...env,
      VSCODE_CWD: folder,
      XDG_RUNTIME_DIR: folder,
      TMPDIR: folder,
    },
  });
  mkdirSync(dirname(log), { recursive: true });
  const sink = createWriteStream(log);
  child.stdout.pipe(sink, { end: false });
  child.stderr.pipe(sink, { end: false });
  return child;
}

/**
 * Starts a server.
 * - `settings`: user settings; `machineSettings`: settings of the machine that the server runs on.
 * - `env`: more environment for the server and its extension hosts.
 * - `vsix`: packaged extensions to install first; `linked`: folders to run as installed extensions.
 * - `driver`: allows extensions under development and test runs; switches notification toasts off.
 * - `trust`: every folder is trusted; otherwise folders open in Restricted Mode.
 * - `log`: file for the server's output.
 */
export async function startServer(given) {
  const options = {
    settings: {},
    machineSettings: {},
    env: {},
    vsix: [],
    linked: [],
    driver: true,
    trust: true,
    ...given,
  };
  const host = await prepareHost();
  const token = randomBytes(16).toString('hex');
  const { folder, remove } = temporaryFolder('headroom-vscode');
  layOut(folder, { ...options, token });
  linkExtensions(folder, options.linked);
  for (const file of options.vsix) await installExtension(host, folder, file);
  const child = launch(host, folder, { ...options, log: options.log ?? join(folder, 'server.log') });
  const end = async () => {
    await stop(child);
    remove();
  };
  try {
    const port = await listening(child);
    return { port, token, folder, child, stop: end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** A file of this machine, as the workbench in the browser names it. */
const remote = (server, path) => `vscode-remote://127.0.0.1:${server.port}${pathToFileURL(path).pathname}`;

/**
 * Address of a workbench.
 * - `folder`: the workspace folder, absolute.
 * - `extension`: folder of an extension under development; `tests` its test entry. Both need the driver.
 * - `env`: environment of the extension host only.
 */
export function workbenchUrl(server, { folder, extension, tests, env }) {
  const payload = [['skipReleaseNotes', 'true']];
  if (extension) payload.push(['extensionDevelopmentPath', remote(server, extension)]);
  if (tests) payload.push(['extensionTestsPath', remote(server, tests)]);
  if (env) payload.push(['extensionEnvironment', JSON.stringify(env)]);
  const query = new URLSearchParams({ tkn: server.token, folder, payload: JSON.stringify(payload) });
  return `http://127.0.0.1:${server.port}/?${query}`;
}
