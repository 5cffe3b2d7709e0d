import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { findProgram, installed, pause, signal, withDescendants } from '../processes';

const RECORDINGS = resolve('test/fixtures/telemetry');

/** Why sshd is not available here; null if it is. */
export function whyNoSshd(): string | null {
  if (process.platform !== 'linux') return 'the sshd suite runs on Linux';
  return installed('sshd', 'openssh-server', 'openssh-client') ?? installed('ssh', 'openssh-client');
}

/**
 * The answers of nvidia-smi on the remote side: recordings by the start of an argument; or no answer for some ms.
 */
interface Replay {
  readonly answers?: readonly { when: string; file: string; exitCode?: number }[];
  readonly hang?: number;
  /** Whether it exits on a signal while it hangs. */
  readonly yields?: boolean;
}

export const ONE_GPU: Replay = {
  answers: [
    { when: '--query-gpu', file: 'nv-csv-4080s-595-load.csv' },
    { when: '--query-compute-apps', file: 'nv-apps-4080s-595-load.csv' },
  ],
};

/** A folder with keys and its own config for ssh, and the servers started in it. */
export class SshBench {
  readonly folder = mkdtempSync(join(tmpdir(), 'headroom-ssh-'));
  readonly configFile = join(this.folder, 'config');
  private readonly servers: Sshd[] = [];
  private readonly hosts: string[] = [];

  constructor() {
    for (const name of ['host', 'id', 'stranger']) {
      const made = spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(this.folder, name)]);
      if (made.status !== 0) throw new Error(String(made.stderr));
    }
    writeFileSync(join(this.folder, 'known_hosts'), '');
    if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
    this.write();
  }

  /** A running server. `path`: where the remote side finds its tools, before the system's. */
  async serve(name: string, replay: Replay | null, more: Partial<SshdOptions> = {}): Promise<Sshd> {
    const session = join(this.folder, `${name}.json`);
    const answers = replay?.answers?.map(answer => ({ ...answer, file: join(RECORDINGS, answer.file) }));
    writeFileSync(session, JSON.stringify({ ...replay, answers: answers ?? [] }));
    const node = dirname(process.execPath);
    const path = replay === null ? '/usr/bin:/bin' : `${RECORDINGS}:${node}:/usr/bin:/bin`;
    const server = new Sshd(this.folder, name, { key: 'id', path, session, ...more });
    this.servers.push(server);
    await server.start();
    this.knows(name, server.port, 'host');
    return server;
  }

  /** A host for ssh, whose known key is one of the folder's. */
  knows(alias: string, port: number, key: 'host' | 'stranger' | null): void {
    const known = join(this.folder, `known-${alias}`);
    writeFileSync(known, key === null ? '' : `[127.0.0.1]:${port} ${this.publicKey(key)}\n`);
    this.hosts.push(
      `Host ${alias}\n  Port ${port}\n  UserKnownHostsFile ${known}\n` +
        `  IdentityFile ${join(this.folder, 'id')}\n`,
    );
    this.write();
  }

  async end(): Promise<void> {
    for (const server of this.servers) await server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private publicKey(name: string): string {
    return readFileSync(join(this.folder, `${name}.pub`), 'utf8')
      .split(' ')
      .slice(0, 2)
      .join(' ');
  }

  private write(): void {
    const all = `Host *\n  HostName 127.0.0.1\n  User ${userInfo().username}\n  IdentitiesOnly yes\n  GlobalKnownHostsFile none\n  UpdateHostKeys no\n`;
    writeFileSync(this.configFile, [...this.hosts, all].join('\n'));
  }
}

interface SshdOptions {
  /** The key whose logins are accepted. */
  readonly key: 'id' | 'stranger';
  readonly path: string;
  readonly session: string;
  /** Variables of a session besides its PATH. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** An sshd on loopback, in the foreground, so that we control its whole life. */
export class Sshd {
  port = 0;
  private process: ChildProcess | null = null;

  constructor(
    private readonly folder: string,
    private readonly name: string,
    private options: SshdOptions,
  ) {}

  /** Starts on its previous port, or a free one; `other`: options that change from now on. */
  async start(other: Partial<SshdOptions> = {}): Promise<void> {
    this.options = { ...this.options, ...other };
    if (this.port === 0) this.port = await freePort();
    const file = join(this.folder, `${this.name}.sshd`);
    writeFileSync(file, this.config());
    const program = findProgram('sshd');
    if (!program) throw new Error('There is no sshd.');
    const server = spawn(program, ['-D', '-e', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.process = server;
    let said = '';
    server.stderr.on('data', (text: Buffer) => (said += text.toString()));
    const end = Date.now() + 10_000;
    while (!said.includes('Server listening')) {
      if (Date.now() > end || server.exitCode !== null) throw new Error(`sshd did not start: ${said}`);
      await pause(20);
    }
  }

  /** Processes of the currently open connections. */
  sessions(): readonly number[] {
    const pid = this.process?.pid;
    return pid === undefined ? [] : withDescendants(pid).filter(one => one !== pid);
  }

  /** Ends the server and its connections. */
  async stop(): Promise<void> {
    const server = this.process;
    if (server?.pid === undefined) return;
    this.process = null;
    const all = withDescendants(server.pid);
    const ended = new Promise(resolve => server.once('exit', resolve));
    signal(all, 'SIGCONT');
    signal(all, 'SIGTERM');
    const timer = setTimeout(() => signal(all, 'SIGKILL'), 3000);
    if (server.exitCode === null && server.signalCode === null) await ended;
    clearTimeout(timer);
  }

  private config(): string {
    const { key, path, session, environment = {} } = this.options;
    const more = Object.entries(environment).map(([name, value]) => ` ${name}=${value}`);
    return `Port ${this.port}
ListenAddress 127.0.0.1
HostKey ${join(this.folder, 'host')}
PidFile none
AuthorizedKeysFile ${join(this.folder, `${key}.pub`)}
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
PermitRootLogin prohibit-password
PrintMotd no
PrintLastLog no
UseDNS no
MaxStartups 100
SetEnv PATH=${path} HEADROOM_REPLAY=${session}${more.join('')}
`;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  await new Promise(resolve => server.close(resolve));
  return port;
}

/** Starts a server on loopback; returns its port. */
export async function listening(server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
