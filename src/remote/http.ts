import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { IncomingMessage } from 'node:http';

export type HttpAnswer =
  | { readonly ok: true; readonly status: number; readonly body: string }
  | { readonly ok: false; readonly why: 'timed-out' | 'too-large' | 'failed'; readonly text: string };

/** Requests a path from a server. */
export interface HttpGet {
  get(path: string, timeoutMs: number): Promise<HttpAnswer>;
  /** Cancels pending requests and closes the connection. */
  close(): void;
}

/** Sends requests to a server that may change something there. */
export interface HttpAsk extends HttpGet {
  ask(question: HttpQuestion, timeoutMs: number): Promise<HttpAnswer>;
}

/** A request to a server. */
export interface HttpQuestion {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly json?: object;
  readonly bytes?: Uint8Array;
}

/** A node's summary is about 20 kB; a far larger answer is not from Ray. */
const MOST_BYTES = 64 * 2 ** 20;

/**
 * One connection to one address. Redirects are not followed: the answer, and the token in the request, stay with
 * the address that the user named.
 */
export class NodeHttp implements HttpAsk {
  private readonly isTls: boolean;
  private agent: HttpAgent | HttpsAgent | null = null;

  constructor(
    private readonly address: URL,
    private readonly token: string | null,
  ) {
    this.isTls = address.protocol === 'https:';
  }

  get(path: string, timeoutMs: number): Promise<HttpAnswer> {
    return this.ask({ method: 'GET', path }, timeoutMs);
  }

  ask({ method, path, json, bytes }: HttpQuestion, timeoutMs: number): Promise<HttpAnswer> {
    this.agent ??= this.isTls
      ? new HttpsAgent({ keepAlive: true, maxSockets: 1 })
      : new HttpAgent({ keepAlive: true, maxSockets: 1 });
    const { agent } = this;
    const url = new URL(this.address.pathname.replace(/(?<!\/)\/+$/, '') + path, this.address);
    const signal = AbortSignal.timeout(timeoutMs);
    const body = json === undefined ? bytes : Buffer.from(JSON.stringify(json));
    const headers = {
      ...(this.token === null ? {} : { Authorization: `Bearer ${this.token}` }),
      ...(body === undefined ? {} : { 'Content-Length': body.length }),
      ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
    };
    const request = this.isTls ? httpsRequest : httpRequest;
    return new Promise(resolve => {
      const fail = (error: Error) => resolve(failureOf(error, signal.aborted));
      try {
        request(url, { method, agent, signal, headers }, answer => void answerOf(answer).then(resolve, fail))
          .on('error', fail)
          .end(body);
      } catch (error) {
        // A token with a line break is not a valid header.
        resolve({ ok: false, why: 'failed', text: error instanceof Error ? error.message : '' });
      }
    });
  }

  close(): void {
    this.agent?.destroy();
    this.agent = null;
  }
}

/** A request that failed. */
export function failureOf(error: Error, timedOut: boolean): HttpAnswer {
  return { ok: false, why: timedOut ? 'timed-out' : 'failed', text: error.message };
}

/** The answer with its body, up to a limit. */
export async function answerOf(answer: IncomingMessage): Promise<HttpAnswer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MOST_BYTES) {
      answer.destroy();
      return { ok: false, why: 'too-large', text: '' };
    }
    parts.push(part);
  }
  return { ok: true, status: answer.statusCode ?? 0, body: Buffer.concat(parts).toString('utf8') };
}
