import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, orEnded, pause, signal, withDescendants } from '../processes';

/** A program in the folder that HEADROOM_TEST_KUBERNETES names, or on PATH. */
const program = (name: string): string | null => {
  const own = join(process.env['HEADROOM_TEST_KUBERNETES'] ?? '', name);
  return process.env['HEADROOM_TEST_KUBERNETES'] && existsSync(own) ? own : findProgram(name);
};

/** Why there is no real API server here; null if there is. */
export function whyNoKubernetes(): string | null {
  if (process.platform !== 'linux') return 'the Kubernetes suite runs on Linux';
  const missing = ['etcd', 'kube-apiserver', 'openssl'].filter(name => program(name) === null);
  return missing.length === 0
    ? null
    : `${missing.join(', ')}: not installed (HEADROOM_TEST_KUBERNETES names their folder)`;
}

/** A real API server on etcd, without nodes of its own: with a certificate of its own, and tokens of two users. */
export class ApiServer {
  readonly folder = mkdtempSync(join(tmpdir(), 'hr-kube-'));
  readonly token = randomBytes(16).toString('hex');
  /** Of a user without any rights. */
  readonly stranger = randomBytes(16).toString('hex');
  private readonly children: ChildProcess[] = [];

  constructor(private readonly basePort: number) {}

  get address(): string {
    return `https://127.0.0.1:${this.basePort}`;
  }

  async start(): Promise<void> {
    await orEnded(
      async () => this.startAll(),
      () => this.end(),
    );
  }

  private async startAll(): Promise<void> {
    const at = (name: string): string => join(this.folder, name);
    const etcd = [this.basePort + 1, this.basePort + 2].map(port => `http://127.0.0.1:${port}`);
    const keys = ['genrsa', '-out', at('sa.key'), '2048'];
    spawnSync(program('openssl') ?? '', keys, { timeout: 30_000 });
    const users = [`${this.token},admin,1,system:masters`, `${this.stranger},stranger,2`];
    writeFileSync(at('tokens.csv'), `${users.join('\n')}\n`);
    this.run('etcd', [
      ...['--data-dir', at('etcd'), '--listen-client-urls', etcd[0] ?? ''],
      ...['--advertise-client-urls', etcd[0] ?? '', '--listen-peer-urls', etcd[1] ?? ''],
    ]);
    this.run('kube-apiserver', [
      `--etcd-servers=${etcd[0] ?? ''}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${this.basePort}`,
      `--cert-dir=${at('certs')}`,
      `--token-auth-file=${at('tokens.csv')}`,
      '--authorization-mode=RBAC',
      '--disable-admission-plugins=ServiceAccount',
      '--service-account-issuer=https://localhost',
      `--service-account-key-file=${at('sa.key')}`,
      `--service-account-signing-key-file=${at('sa.key')}`,
    ]);
    const end = Date.now() + 180_000;
    while ((await this.ask('GET', '/readyz').catch(() => 0)) !== 200) {
      if (Date.now() > end) throw new Error(readFileSync(at('kube-apiserver.log'), 'utf8').slice(-2000));
      await pause(500);
    }
  }

  private run(name: string, args: readonly string[]): void {
    const log = openSync(join(this.folder, `${name}.log`), 'a');
    const env = { ...process.env, HOME: this.folder };
    this.children.push(spawn(program(name) ?? name, args, { stdio: ['ignore', log, log], env }));
  }

  /** The status of an answer; objects are created with POST. */
  ask(method: 'GET' | 'POST', path: string, body?: object): Promise<number> {
    const headers = { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' };
    return new Promise((done, fail) => {
      // The certificate is checked where it matters: by the kubeconfig.
      const options = { method, headers, rejectUnauthorized: false, timeout: 20_000 };
      request(`${this.address}${path}`, options, answer => {
        answer.resume();
        answer.on('end', () => done(answer.statusCode ?? 0));
      })
        .on('error', fail)
        .end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** A kubeconfig that trusts the server's own certificate. */
  kubeconfig(token: string): string {
    const path = join(this.folder, `config-${token.slice(0, 4)}`);
    const cluster = {
      server: this.address,
      'certificate-authority': join(this.folder, 'certs/apiserver.crt'),
    };
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'lab',
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: { token } }],
      contexts: [{ name: 'lab', context: { cluster: 'c', user: 'u' } }],
    };
    writeFileSync(path, JSON.stringify(config));
    return path;
  }

  async end(): Promise<void> {
    for (const child of this.children.toReversed()) {
      if (child.pid === undefined || child.exitCode !== null) continue;
      const ended = new Promise(done => child.once('exit', done));
      signal(withDescendants(child.pid), 'SIGKILL');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
