import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { BadInput } from '../output';
import { reasonOf } from '../../core/text/errors';

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const MOST_CONNECTIONS = 16;
const REQUEST_MS = 5000;

/** `9835`, `:9835`, `0.0.0.0:9835`, `[::1]:9835`. */
const ADDRESS = /^(?:(\[[\da-f:.]{2,45}\]|[\w.-]{0,253}):)?(\d{1,5})$/i;

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Where to listen; without a host, only this machine can connect. */
export function addressOf(text: string): Address {
  const [, host = '', digits = ''] = ADDRESS.exec(text.trim()) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535) {
    throw new BadInput(`--listen ${text}: not an address. Use a port, such as 9835, or HOST:PORT.`);
  }
  return { host: host.replace(/^\[|\]$/g, '') || '127.0.0.1', port };
}

/** Serves a text at `/metrics` and nothing else. It reads no body and keeps nothing of a request. */
export async function serveMetrics(text: () => string, { host, port }: Address): Promise<Server> {
  const server = createServer((request, response) => answer(request, response, text));
  server.maxConnections = MOST_CONNECTIONS;
  server.headersTimeout = REQUEST_MS;
  server.requestTimeout = REQUEST_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  }).catch((error: unknown) => {
    throw new BadInput(`--listen ${host}:${port}: ${reasonOf(error)}.`);
  });
  return server;
}

function answer({ method, url }: IncomingMessage, response: ServerResponse, text: () => string): void {
  response.setHeader('Content-Type', CONTENT_TYPE);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  if (method !== 'GET' && method !== 'HEAD') response.writeHead(405, { Allow: 'GET, HEAD' }).end();
  else if (url !== '/metrics') response.writeHead(404).end('The metrics are at /metrics.\n');
  else response.end(method === 'HEAD' ? '' : `${text()}\n`);
}
