import { quoted } from '../../remote/words';
import { scriptOf } from '../../remote/script';
import type { SshEnd } from '../../remote/sshTroubles';
import type { MachineLoad } from '../fleet';
import { NOT_STARTED } from '../launch';
import type { Child, Launch, TalkingChild } from '../launch';
import { Lines } from '../parse/text';
import type { Timers } from '../timers';
import hostSh from './host.sh';
import { LoadReader } from './load';
import { RemoteChild } from './remoteChild';

/** The script for one connection. Output before the nonce's first appearance is not from it. */
export function scriptWith(nonce: string): string {
  if (!/^[0-9a-z]+$/.test(nonce)) throw new RangeError(`No nonce: ${nonce}`);
  return `N=${nonce}\n${scriptOf(hostSh).trimStart()}`;
}

/** The other side's introduction. */
export interface Hello {
  /** `Linux` or `Darwin`, from uname. */
  readonly system: string;
  readonly hostName: string;
}

interface ShellListener {
  ready(hello: Hello): void;
  closed(end: SshEnd): void;
}

/** How long a login may take: ssh's own limit does not cover it. */
const HELLO_MS = 30_000;
const LOAD_MS = 10_000;
const TAIL_CHARACTERS = 4000;
/** Longer lines are not from a tool; tools' XML and JSON have short ones. */
const MOST_CHARACTERS = 1024 * 1024;

interface LoadRequest {
  readonly memory: string[];
  readonly done: (lines: readonly [cpu: string, memory: readonly string[]]) => void;
  cpu: string;
}

/**
 * A shell on another machine over one connection: it runs tools concurrently, as locally. It ends with the
 * connection, and so do its children.
 */
export class RemoteShell {
  private readonly prefix: string;
  private readonly children = new Map<string, RemoteChild>();
  private readonly loads = new Map<string, LoadRequest>();
  private readonly loadReader = new LoadReader();
  private lastId = 0;
  private state: 'new' | 'ready' | 'closed' = 'new';
  private wasSilent = false;
  private stderr = '';
  private noise = '';
  private readonly cancelHello: () => void;

  constructor(
    private readonly process: TalkingChild,
    private readonly timers: Timers,
    nonce: string,
    private readonly listener: ShellListener,
  ) {
    this.prefix = `@${nonce} `;
    const lines = new Lines(MOST_CHARACTERS, line => this.onLine(line));
    process.onText((stream, text) => {
      if (stream === 'stdout') lines.add(text);
      else this.stderr = (this.stderr + text).slice(-TAIL_CHARACTERS);
    });
    process.onEnd(({ exitCode, failure }) => {
      const { stderr, noise, wasSilent } = this;
      this.end({ failure, exitCode, stderr, noise, wasSilent });
    });
    this.cancelHello = timers.after(HELLO_MS, () => {
      this.wasSilent = true;
      process.stop();
    });
    process.write(scriptWith(nonce));
  }

  /** Starts tools on the other side. */
  readonly launch: Launch = (executable, args): Child => {
    const words = [executable, ...args].map(quoted);
    if (this.state !== 'ready' || words.includes(null)) return NOT_STARTED;
    const id = this.nextId();
    const child = new RemoteChild({
      own: pid => this.process.write(`own ${pid}\n`),
      gone: (pid, job) => this.process.write(`gone ${pid} ${job}\n`),
      stop: pid => this.process.write(`stop ${pid}\n`),
    });
    this.children.set(id, child);
    this.process.write(`run ${id} ${words.join(' ')}\n`);
    return child;
  };

  /** CPU and memory, and the latency of the query; null if there was no answer. */
  async load(): Promise<{ readonly load: MachineLoad | null; readonly latencyMs: number } | null> {
    if (this.state !== 'ready') return null;
    const id = this.nextId();
    const askedMs = this.timers.now();
    const lines = await new Promise<readonly [string, readonly string[]] | null>(resolve => {
      const cancel = this.timers.after(LOAD_MS, () => {
        this.loads.delete(id);
        resolve(null);
      });
      const done: LoadRequest['done'] = answer => {
        cancel();
        resolve(answer);
      };
      this.loads.set(id, { cpu: '', memory: [], done });
      this.process.write(`load ${id}\n`);
    });
    return lines && { load: this.loadReader.read(...lines), latencyMs: this.timers.now() - askedMs };
  }

  /** Ends the connection without notifying listeners. */
  close(): void {
    if (this.state === 'closed') return;
    this.leave();
    this.process.stop();
  }

  private onLine(line: string): void {
    const at = line.lastIndexOf(this.prefix);
    if (at < 0) {
      this.noise = `${this.noise}${line}\n`.slice(-TAIL_CHARACTERS);
      return;
    }
    const text = line.slice(at + this.prefix.length);
    const [id = '', kind = ''] = text.split(' ', 2);
    const rest = text.slice(id.length + kind.length + 2);
    if (id === 'hello') this.onHello(kind, rest);
    else if (!this.receiveLoad(id, kind, rest) && this.children.get(id)?.receive(kind, rest)) {
      this.children.delete(id);
    }
  }

  private onHello(system: string, hostName: string): void {
    if (this.state !== 'new') return;
    this.cancelHello();
    this.state = 'ready';
    this.listener.ready({ system, hostName });
  }

  private receiveLoad(id: string, kind: string, rest: string): boolean {
    const request = this.loads.get(id);
    if (!request) return false;
    if (kind === 's') request.cpu = rest;
    if (kind === 'm') request.memory.push(rest);
    if (kind === 'l') {
      this.loads.delete(id);
      request.done([request.cpu, request.memory]);
    }
    return true;
  }

  private nextId(): string {
    this.lastId += 1;
    return String(this.lastId);
  }

  private end(end: SshEnd): void {
    if (this.state === 'closed') return;
    this.state = 'closed';
    // The listener is notified first, because tools that end with the connection are not worth reporting then.
    this.listener.closed(end);
    this.leave();
  }

  private leave(): void {
    this.state = 'closed';
    this.cancelHello();
    for (const child of this.children.values()) child.lost();
    this.children.clear();
    this.loads.clear();
  }
}
