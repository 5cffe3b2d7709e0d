import { request as httpRequest } from 'node:http';
import type { IncomingMessage, Agent } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { HubSettings, Variables } from './settings';
import { HttpsProxyAgent } from 'https-proxy-agent';

/**
 * The way to an address: through the proxy that HTTPS_PROXY, HTTP_PROXY or ALL_PROXY names, unless NO_PROXY has the host;
 * undefined: straight. A tunnel, so the proxy sees neither the path nor a token.
 */
function agentFor(url: URL, variables: Variables): Agent | undefined {
  const of = (name: string): string | null => {
    const value = variables[name.toLowerCase()] ?? variables[name];
    return value === undefined || value.trim() === '' ? null : value.trim();
  };
  const proxy = of(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') ?? of('ALL_PROXY');
  if (proxy === null || isSpared(url, of('NO_PROXY') ?? '')) return undefined;
  const address = proxy.includes('://') ? proxy : `http://${proxy}`;
  return URL.canParse(address) && /^https?:/.test(address) ? new HttpsProxyAgent(address) : undefined;
}

/** `NO_PROXY=localhost,.lab.org,10.0.0.1:8080,*`, as curl reads it. */
function isSpared({ hostname, port, protocol }: URL, list: string): boolean {
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return list
    .split(/[\s,]+/)
    .filter(Boolean)
    .some(entry => {
      if (entry === '*') return true;
      const [, host = '', wantedPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      if (wantedPort !== undefined && wantedPort !== ownPort) return false;
      const plain = host.replace(/^\*?\./, '');
      return plain !== '' && (hostname === plain || hostname.endsWith(`.${plain}`));
    });
}

/** Why nothing came: an answer of the Hub, or none. */
export type Trouble =
  | { readonly kind: 'missing' | 'private' | 'gated' | 'too-large' | 'timed-out' | 'canceled' | 'redirects' }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'failed'; readonly text: string };

export type Answer =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly trouble: Trouble };

/** What is wanted of a file: some bytes of it, or all. */
interface Wanted {
  readonly mostBytes: number;
  /** Only these; a server that sends the whole file is cut off after them. */
  readonly range?: { readonly from: number; readonly bytes: number };
}

const MOST_REDIRECTS = 5;

/** Gets a file of the Hub. The token goes to the endpoint's origin only; what it redirects to gets none. */
export async function getFile(
  { endpoint, token, variables }: HubSettings,
  path: string,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<Answer> {
  let url = new URL(endpoint.pathname.replace(/(?<!\/)\/+$/, '') + path, endpoint);
  for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
    const headers = {
      'user-agent': 'headroom',
      ...(token !== null && url.origin === endpoint.origin && { authorization: `Bearer ${token}` }),
      ...(wanted.range && {
        range: `bytes=${wanted.range.from}-${wanted.range.from + wanted.range.bytes - 1}`,
      }),
    };
    const answer = await ask(url, headers, variables, signal).catch((error: unknown) =>
      failure(error, signal),
    );
    if ('trouble' in answer) return answer;
    const next = redirectOf(answer, url);
    if (next === null) return read(answer, wanted, signal);
    answer.destroy();
    // What was asked for over TLS does not come in the open.
    const isSafe = next !== 'nowhere' && (next.protocol === 'https:' || url.protocol === 'http:');
    if (!isSafe) return { ok: false, trouble: { kind: 'redirects' } };
    url = next;
  }
  return { ok: false, trouble: { kind: 'redirects' } };
}

function ask(
  url: URL,
  headers: Readonly<Record<string, string>>,
  variables: HubSettings['variables'],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const agent = agentFor(url, variables);
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    request(url, { headers, signal, ...(agent && { agent }) }, resolve)
      .on('error', reject)
      .end();
  });
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage, from: URL): URL | 'nowhere' | null {
  if (![301, 302, 303, 307, 308].includes(statusCode)) return null;
  const to = headers.location ?? '';
  if (!URL.canParse(to, from.href)) return 'nowhere';
  const url = new URL(to, from);
  return /^https?:$/.test(url.protocol) ? url : 'nowhere';
}

async function read(answer: IncomingMessage, wanted: Wanted, signal: AbortSignal): Promise<Answer> {
  const { statusCode = 0, headers } = answer;
  const { range, mostBytes } = wanted;
  if (statusCode !== 200 && statusCode !== 206) {
    answer.destroy();
    return { ok: false, trouble: refusalOf(statusCode, String(headers['x-error-code'] ?? '')) };
  }
  // A server that ignores ranges sends the file from its start.
  const skipped = range && statusCode === 200 ? range.from : 0;
  const enough = range ? skipped + range.bytes : Infinity;
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      bytes += part.length;
      parts.push(part);
      if (bytes >= enough) break;
      if (bytes > mostBytes) {
        answer.destroy();
        return { ok: false, trouble: { kind: 'too-large' } };
      }
    }
  } catch (error) {
    return failure(error, signal);
  }
  answer.destroy();
  return { ok: true, bytes: Buffer.concat(parts).subarray(skipped, enough) };
}

/** The Hub tells a gated repository from a private one by a header (huggingface_hub/utils/_http.py). */
function refusalOf(status: number, code: string): Trouble {
  if (code === 'GatedRepo' || status === 403) return { kind: 'gated' };
  if (status === 401) return { kind: 'private' };
  return status === 404 || status === 410 ? { kind: 'missing' } : { kind: 'status', status };
}

function failure(error: unknown, signal: AbortSignal): { readonly ok: false; readonly trouble: Trouble } {
  if (signal.aborted) {
    const { reason } = signal as { readonly reason?: unknown };
    const isLate = reason instanceof Error && reason.name === 'TimeoutError';
    return { ok: false, trouble: { kind: isLate ? 'timed-out' : 'canceled' } };
  }
  const text = error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : '';
  return { ok: false, trouble: { kind: 'failed', text } };
}
