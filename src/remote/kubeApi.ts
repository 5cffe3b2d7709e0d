import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { ExecAuth } from '@kubernetes/client-node/dist/exec_auth.js';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { RequestOptions } from 'node:https';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { answerOf, failureOf } from './http';
import type { HttpAnswer, HttpAsk, HttpQuestion } from './http';

/** A kubeconfig's cluster that can be asked, or a sentence that says what is wrong with the kubeconfig. */
export type OpenedKube =
  | { readonly ok: true; readonly api: HttpAsk; readonly context: string; readonly namespace: string }
  | { readonly ok: false; readonly why: string };

/** A program that a kubeconfig names for the login may have to renew a session; none may hang. */
const LOGIN_MS = 30_000;

/**
 * The API server of a context in the user's kubeconfig (`KUBECONFIG`, otherwise `~/.kube/config`; in a pod, its service
 * account); null: the current context. Nothing is requested before the first question.
 */
export function openKube(context: string | null, variables = process.env): OpenedKube {
  try {
    const config = loaded(variables);
    if (config === null) {
      return {
        ok: false,
        why: 'There is no kubeconfig: neither KUBECONFIG nor ~/.kube/config names a file.',
      };
    }
    const name = context ?? config.getCurrentContext();
    if (!name) return { ok: false, why: 'The kubeconfig has no current context. Name one.' };
    const found = config.getContextObject(name);
    if (!found) return { ok: false, why: `The kubeconfig has no context “${name}”.` };
    config.setCurrentContext(name);
    const server = config.getCurrentCluster()?.server;
    if (!server) return { ok: false, why: `The context “${name}” names no cluster.` };
    config.addAuthenticator(boundedLogin());
    const api = new KubeHttp(config, new URL(server));
    return { ok: true, api, context: name, namespace: found.namespace ?? 'default' };
  } catch (error) {
    return { ok: false, why: `The kubeconfig can't be read: ${firstLine(error)}.` };
  }
}

/** Messages of parsers go on with the lines of the file, which may hold secrets. */
const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : 'unknown error').split('\n')[0]?.slice(0, 200) ?? '';

function loaded(variables: NodeJS.ProcessEnv): KubeConfig | null {
  const named = (variables['KUBECONFIG'] ?? '').split(delimiter).filter(path => path !== '');
  const files = (named.length > 0 ? named : [join(homedir(), '.kube', 'config')]).filter(existsSync);
  const config = new KubeConfig();
  if (files.length === 0) {
    if (named.length > 0 || variables['KUBERNETES_SERVICE_HOST'] === undefined) return null;
    config.loadFromCluster();
    return config;
  }
  for (const [i, file] of files.entries()) {
    const one = i === 0 ? config : new KubeConfig();
    one.loadFromFile(file);
    // As kubectl does: the first file decides the context.
    if (i > 0) config.mergeConfig(one, Boolean(config.getCurrentContext()));
  }
  return config;
}

/** The library waits for a login program as long as it runs. */
function boundedLogin(): ExecAuth {
  const login = new ExecAuth();
  const start: typeof spawn = ((program: string, args: readonly string[] | undefined, options: object) =>
    spawn(program, args ?? [], {
      ...options,
      timeout: LOGIN_MS,
      killSignal: 'SIGKILL',
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })) as typeof spawn;
  Object.assign(login, { execFn: start });
  return login;
}

class KubeHttp implements HttpAsk {
  private readonly running = new Set<AbortController>();

  constructor(
    private readonly config: KubeConfig,
    private readonly server: URL,
  ) {}

  get(path: string, timeoutMs: number): Promise<HttpAnswer> {
    return this.ask({ method: 'GET', path }, timeoutMs);
  }

  async ask({ method, path, json }: HttpQuestion, timeoutMs: number): Promise<HttpAnswer> {
    const url = new URL(this.server.pathname.replace(/(?<!\/)\/+$/, '') + path, this.server);
    const aborted = new AbortController();
    this.running.add(aborted);
    const body = json === undefined ? undefined : Buffer.from(JSON.stringify(json));
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = {
      // A log is text; its server refuses a request that accepts only JSON.
      Accept: 'application/json, */*',
      // Without a length, Node sends a DELETE's body so that the server does not see its preconditions.
      ...(body && { 'Content-Type': type, 'Content-Length': body.length }),
    };
    const options: RequestOptions = { method, headers };
    try {
      await this.config.applyToHTTPSOptions(options);
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([aborted.signal, timeout]);
      return await asked(url, { ...options, signal }, body, () => timeout.aborted);
    } catch (error) {
      return failureOf(loginError(error), false);
    } finally {
      this.running.delete(aborted);
    }
  }

  close(): void {
    for (const one of this.running) one.abort();
  }
}

/** A parser's message quotes what the login program printed, which may be a token. */
const loginError = (error: unknown): Error =>
  error instanceof Error && !(error instanceof SyntaxError)
    ? error
    : new Error('the login program of the kubeconfig printed no credential');

function asked(
  url: URL,
  options: RequestOptions,
  body: Buffer | undefined,
  isLate: () => boolean,
): Promise<HttpAnswer> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise(resolve => {
    const fail = (error: Error): void => resolve(failureOf(error, isLate()));
    request(url, options, answer => void answerOf(answer).then(resolve, fail))
      .on('error', fail)
      .end(body);
  });
}
