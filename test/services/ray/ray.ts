import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get, request } from 'node:http';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, orEnded, pause, processesWith, signal, until, withDescendants } from '../processes';

const RAY = 'ray[default]==2.60.0';

/** A longer installation on a slow line would keep the other suites waiting for too long. */
const PIP_MS = 100_000;

/** A virtual environment that stays from run to run, so that 380 MB are not downloaded each time. */
const cache = (): string => {
  const base = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return process.env['HEADROOM_TEST_RAY'] ?? join(base, 'headroom-test', 'ray-2.60.0');
};

/** Why Ray is not available here; null if it is. HEADROOM_TEST_RAY names another folder for it, or `off`. */
export function whyNoRay(): string | null {
  if (process.platform !== 'linux') return 'the Ray suite runs on Linux';
  if (process.env['HEADROOM_TEST_RAY'] === 'off') return 'HEADROOM_TEST_RAY is off';
  const folder = cache();
  if (existsSync(join(folder, 'bin', 'ray'))) return null;
  if (!findProgram('python3')) return 'python3 is not installed';
  mkdirSync(folder, { recursive: true });
  spawnSync('python3', ['-m', 'venv', folder], { timeout: 60_000 });
  const pip = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '--no-input', RAY];
  const installed = spawnSync(join(folder, 'bin', 'python'), pip, { timeout: PIP_MS });
  if (installed.status === 0) return null;
  rmSync(folder, { recursive: true, force: true });
  return `${RAY} could not be installed`;
}

/** A real head node with declared GPUs, a dashboard on loopback, and a token. */
export class Ray {
  /** Short, because the paths of Ray's sockets are below it. */
  readonly folder = mkdtempSync(join(tmpdir(), 'hr-ray-'));
  readonly token = randomBytes(16).toString('hex');
  readonly address: string;
  private head: ChildProcess | null = null;
  private readonly nodes: ChildProcess[] = [];

  constructor(
    private readonly basePort: number,
    private readonly gpus: number,
  ) {
    this.address = `http://127.0.0.1:${basePort}`;
  }

  /** If the rest fails to start, the started parts are ended. */
  async start(): Promise<void> {
    await orEnded(
      () => this.startHead(),
      () => this.end(),
    );
  }

  private async startHead(): Promise<void> {
    const { folder, basePort: port } = this;
    writeFileSync(join(folder, 'token'), this.token, { mode: 0o600 });
    const log = openSync(join(folder, 'log'), 'w');
    // Ray replaces 127.0.0.1 by this machine's outside address, but keeps 127.0.0.2.
    const args = [
      ...['start', '--head', '--block', '--node-ip-address=127.0.0.2', `--port=${port + 1}`],
      ...['--dashboard-host=127.0.0.1', `--dashboard-port=${port}`, '--include-dashboard=true'],
      ...[`--metrics-export-port=${port + 2}`, `--dashboard-agent-listen-port=${port + 3}`],
      ...[`--dashboard-agent-grpc-port=${port + 4}`, `--runtime-env-agent-port=${port + 5}`],
      ...[`--ray-client-server-port=${port + 6}`, `--node-manager-port=${port + 7}`],
      ...[`--object-manager-port=${port + 8}`, '--num-cpus=4', `--num-gpus=${this.gpus}`],
      ...['--object-store-memory=100000000', '--disable-usage-stats', `--temp-dir=${folder}`],
    ];
    this.head = spawn(join(cache(), 'bin', 'ray'), args, {
      env: this.environment(),
      stdio: ['ignore', log, log],
      detached: true,
    });
    for (let round = 0; (await this.answer('GET', '/api/v0/nodes')) !== 200; round++) {
      if (round > 300 || this.head.exitCode !== null) throw new Error(this.log());
      await pause(200);
    }
  }

  /**
   * A second machine of the cluster: another address of this one. Its programs have the variable `RAY_TEST_NODE`.
   */
  async addNode(name: string, gpus: number): Promise<void> {
    const { folder, basePort: port } = this;
    const log = openSync(join(folder, `log-${name}`), 'w');
    const args = [
      ...['start', '--block', `--address=127.0.0.2:${port + 1}`, '--node-ip-address=127.0.0.3'],
      ...[`--metrics-export-port=${port + 12}`, `--dashboard-agent-listen-port=${port + 13}`],
      ...[`--dashboard-agent-grpc-port=${port + 14}`, `--runtime-env-agent-port=${port + 15}`],
      ...[`--node-manager-port=${port + 17}`, `--object-manager-port=${port + 18}`],
      ...['--num-cpus=4', `--num-gpus=${gpus}`, '--object-store-memory=100000000', '--disable-usage-stats'],
      // In the head's folder, each would delete files that the other still uses.
      `--temp-dir=${join(folder, 'n2')}`,
    ];
    const env = { ...this.environment(), RAY_TEST_NODE: name };
    const node = spawn(join(cache(), 'bin', 'ray'), args, {
      env,
      stdio: ['ignore', log, log],
      detached: true,
    });
    this.nodes.push(node);
    const alive = async () =>
      (await this.text('/api/v0/nodes?detail=1')).match(/"state": ?"ALIVE"/g)?.length ?? 0;
    for (let round = 0; (await alive()) < this.nodes.length + 1; round++) {
      if (round > 300 || node.exitCode !== null) {
        throw new Error(readFileSync(join(folder, `log-${name}`), 'utf8'));
      }
      await pause(200);
    }
  }

  /** Starts a job that holds GPUs; returns an HTTP status. */
  submit(gpus: number): Promise<number> {
    return this.answer('POST', '/api/jobs/', { entrypoint: 'sleep 300', entrypoint_num_gpus: gpus });
  }

  /** Ends the cluster and starts another at the same address, which does not know its jobs. */
  async restart(): Promise<void> {
    await this.endProcesses();
    await this.start();
  }

  async end(): Promise<void> {
    await this.endProcesses();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async endProcesses(): Promise<void> {
    const started = [this.head, ...this.nodes].flatMap(one => (one?.pid === undefined ? [] : [one.pid]));
    const mine = () => [...new Set([...processesWith(this.folder), ...started.flatMap(withDescendants)])];
    const all = mine();
    signal(all, 'SIGTERM');
    for (let round = 0; round < 50 && processesWith(this.folder).length > 0; round++) await pause(100);
    signal([...all, ...mine()], 'SIGKILL');
    await until(
      () => processesWith(this.folder).length === 0,
      () => processesWith(this.folder),
    );
  }

  private environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      // With an address, it would join that cluster.
      RAY_ADDRESS: undefined,
      HEADROOM_RAY_DIR: this.folder,
      RAY_AUTH_MODE: 'token',
      RAY_AUTH_TOKEN_PATH: join(this.folder, 'token'),
      RAY_USAGE_STATS_ENABLED: '0',
      RAY_memory_monitor_refresh_ms: '0',
    };
  }

  private log(): string {
    return readFileSync(join(this.folder, 'log'), 'utf8').slice(-2000);
  }

  private text(path: string): Promise<string> {
    const headers = { Authorization: `Bearer ${this.token}` };
    return new Promise(resolve => {
      let text = '';
      get(this.address + path, { headers, timeout: 5000 }, response => {
        response.on('data', (piece: Buffer) => (text += piece.toString())).on('end', () => resolve(text));
      }).on('error', () => resolve(''));
    });
  }

  private answer(method: string, path: string, body?: object): Promise<number> {
    const headers = { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' };
    return new Promise(resolve => {
      // A hard limit: another program that listens there may never answer.
      const signal = AbortSignal.timeout(5000);
      request(this.address + path, { method, headers, signal }, response => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on('error', () => resolve(0))
        .end(body && JSON.stringify(body));
    });
  }
}
