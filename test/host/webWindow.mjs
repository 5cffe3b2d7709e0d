// VS Code as vscode.dev runs it: the workbench in a browser with the extension host in it, and no machine behind it. The
// page is that of VS Code's own server, told of no server; extensions and files come from here.
import { Buffer } from 'node:buffer';
import { createServer, request } from 'node:http';
import { readFileSync } from 'node:fs';
import { extname, join, normalize } from 'node:path';
import { startServer } from './server.mjs';

const TYPES = {
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.css': 'text/css',
};
const CONFIGURATION = /(id="vscode-workbench-web-configuration" data-settings=")([^"]*)(")/;

const escaped = text => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
const unescaped = text => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** The page for a window with these built-in extensions and no server. */
function pageFor(html, authority, extensions, settings) {
  return html.replace(CONFIGURATION, (_, before, written, after) => {
    const {
      remoteAuthority: _server,
      webEndpointUrlTemplate: _endpoint,
      ...kept
    } = JSON.parse(unescaped(written));
    const additionalBuiltinExtensions = extensions.map(name => ({
      scheme: 'http',
      authority,
      path: `/extensions/${name}`,
    }));
    const configuration = { ...kept, additionalBuiltinExtensions, configurationDefaults: settings };
    return before + escaped(JSON.stringify(configuration)) + after;
  });
}

/** The answer to a request for a file of an extension. */
function fileOf(folders, path, files) {
  const [name, ...rest] = decodeURIComponent(path).split('/');
  if (rest.join('/') === 'files.json') return JSON.stringify(files);
  const folder = folders[name];
  const inside = normalize(rest.join('/'));
  return folder === undefined || inside.startsWith('..') ? null : readFileSync(join(folder, inside));
}

/** This build of VS Code takes its own server for the machine behind every window, and keeps the user's data there. */
const withoutServer = text =>
  text
    .replace(/(\{\.\.\.JSON\.parse\(\w+\)),remoteAuthority:location\.host\}/, '$1}')
    .replace(
      /\w+\((\w+)\.file\(this\.userDataPath\)\.with\(\{scheme:(\w+)\.vscodeRemote\}\),"User"\)/,
      '$1.file("/User").with({scheme:$2.vscodeUserData})',
    );

function answerWithFile(outgoing, folders, path, files) {
  try {
    const body = fileOf(folders, path, files);
    const type = TYPES[extname(path)] ?? 'application/octet-stream';
    outgoing.writeHead(body === null ? 404 : 200, { 'content-type': type }).end(body ?? '');
  } catch {
    outgoing.writeHead(404).end();
  }
}

/** Answers as VS Code's server does; `change`: with another text. */
function forward({ port, token }, incoming, outgoing, change) {
  const { pathname, search } = new URL(incoming.url, 'http://127.0.0.1');
  const path = pathname === '/' ? pathname : pathname + search;
  const own = { host: `127.0.0.1:${port}`, 'accept-encoding': 'identity', cookie: `vscode-tkn=${token}` };
  const headers = { ...incoming.headers, ...own };
  const asked = request({ port, host: '127.0.0.1', path, headers, method: incoming.method }, answer => {
    if (change === null) {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
      return;
    }
    const parts = [];
    answer.on('data', part => parts.push(part));
    answer.on('end', () => {
      const { 'content-length': _length, 'content-security-policy': _policy, ...kept } = answer.headers;
      outgoing.writeHead(answer.statusCode, kept).end(change(Buffer.concat(parts).toString('utf8')));
    });
  });
  asked.on('error', () => outgoing.writeHead(502).end());
  incoming.pipe(asked);
}

/**
 * Starts it.
 * - `extensions`: folders by name. `files`: the workspace's texts by path, such as `/lora.yml`.
 */
export async function startWebWindow({ extensions, files, settings = {}, log }) {
  const server = await startServer({ log, driver: true });
  const page = `http://127.0.0.1:${server.port}/`;
  const names = Object.keys(extensions);
  const proxy = createServer((incoming, outgoing) => {
    const { pathname } = new URL(incoming.url, page);
    if (pathname.startsWith('/extensions/')) {
      answerWithFile(outgoing, extensions, pathname.slice('/extensions/'.length), files);
    } else if (pathname === '/') {
      forward(server, incoming, outgoing, html => pageFor(html, incoming.headers.host, names, settings));
    } else if (pathname.endsWith('/workbench.js')) forward(server, incoming, outgoing, withoutServer);
    else forward(server, incoming, outgoing, null);
  });
  await new Promise(resolve => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address();
  return {
    url: `http://127.0.0.1:${port}/?folder=${encodeURIComponent('webfiles:/')}`,
    stop: async () => {
      proxy.closeAllConnections();
      proxy.close();
      await server.stop();
    },
  };
}
