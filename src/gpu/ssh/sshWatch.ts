import { randomBytes } from 'node:crypto';
import { Backoff } from '../timers';
import type { Detection } from '../detect';
import type { HostState, MachineLoad } from '../fleet';
import type { TalkingLaunch } from '../launch';
import { machineOf, untapped } from '../machine';
import type { Machine, MachineKind, Tap } from '../machine';
import { MachineReader } from '../machineReader';
import { MachineWatch } from '../machineWatch';
import { readPs } from '../owners';
import type { Owners } from '../owners';
import { ToolRunner } from '../runner';
import { neverAsleep } from '../sleep';
import type { Timers } from '../timers';
import type { GpuTool, ToolErrorKind } from '../tool';
import { sshArguments } from '../../remote/sshArguments';
import type { SshProgram } from '../../remote/sshArguments';
import type { Gate } from '../../remote/gate';
import { RemoteShell } from './remoteShell';
import type { Hello } from './remoteShell';
import { sshTrouble } from '../../remote/sshTroubles';
import type { SshEnd, SshTrouble } from '../../remote/sshTroubles';

/** Shared by all SSH hosts of a fleet. */
export interface SshRoom {
  readonly program: SshProgram;
  readonly platform: NodeJS.Platform;
  readonly intervalMs: number;
  /** How long a connection stays open after its last use. */
  readonly lingerMs: number;
  readonly talk: TalkingLaunch;
  readonly timers: Timers;
  readonly tools: readonly GpuTool[];
  /** Limits simultaneous handshakes. */
  readonly gate: Gate;
  /** A random number from 0 to 1, so that hosts that were lost together do not reconnect simultaneously. */
  readonly dice: () => number;
  /** Records a host's queries. */
  readonly tap?: Tap;
}

const SHORTEST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 60_000;
/** A failed connection, or a host whose own tools fail. */
interface Trouble extends Omit<SshTrouble, 'state'> {
  readonly state: HostState;
  readonly errorKind?: ToolErrorKind | undefined;
}

/** The pause if an administrator is needed. */
const LATE_MS = 300_000;
/** A connection that lasted this long counts as good. */
const HEALTHY_MS = 60_000;
const PS_TIMEOUT_MS = 5000;

/** A host over SSH: its own tools run over one connection. */
export class SshWatch extends MachineWatch {
  protected readonly intervalMs: number;
  private readonly backoff = new Backoff(SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS);
  private shell: RemoteShell | null = null;
  private reader: MachineReader | null = null;
  private trouble: Trouble | null = null;
  private nextTryMs = 0;
  private latencyMs: number | null = null;
  /** Counts connections, to ignore results of an earlier one. */
  private turn = 0;
  private cancel: () => void = () => undefined;
  private letNextIn: () => void = () => undefined;

  constructor(
    private readonly alias: string,
    name: string,
    private readonly room: SshRoom,
  ) {
    super({ id: `ssh:${alias}`, kind: 'ssh', name }, room.timers, room.lingerMs);
    this.intervalMs = room.intervalMs;
  }

  override retry(): void {
    this.trouble = null;
    this.nextTryMs = 0;
    super.retry();
  }

  override found(detection: Detection): void {
    super.found(detection);
    if (detection.devices.length > 0 && detection.source !== null) return;
    // Without GPUs the connection is closed, and the host is tried again later.
    const { status } = this.reading;
    const { state, message, todo, text, errorKind } = status;
    this.leave();
    const sentence = message?.replace(/^No GPU was found/, `No GPU was found on ${this.host.name}`) ?? '';
    this.failed({ state, message: sentence, todo, text, errorKind, again: 'late' });
  }

  override load(machine: MachineLoad | null): void {
    this.notify({ machine, status: { ...this.reading.status, latencyMs: this.latencyMs } });
  }

  /** The pause after a failure also applies to a new hold. */
  protected begin(): void {
    if (this.trouble === null || (this.nextTryMs > 0 && this.nextTryMs <= this.timers.now())) {
      void this.connect();
    } else this.wait(this.trouble);
  }

  protected end(): void {
    this.cancel();
    this.leave();
  }

  private async connect(): Promise<void> {
    this.leave();
    this.enter('connecting', { latencyMs: null });
    const turn = this.turn;
    const letNextIn = await this.room.gate.enter();
    if (turn !== this.turn) {
      letNextIn();
      return;
    }
    this.letNextIn = letNextIn;
    const { program, platform, talk, timers } = this.room;
    const ssh = talk(program.path, sshArguments(program, this.alias, platform));
    const shell = new RemoteShell(ssh, timers, randomBytes(8).toString('hex'), {
      ready: hello => this.read(shell, hello),
      closed: end => this.lost(end),
    });
    this.shell = shell;
  }

  private read(shell: RemoteShell, hello: Hello): void {
    this.letNextIn();
    this.trouble = null;
    this.notify({ hostName: hello.hostName });
    this.cancel = this.timers.after(HEALTHY_MS, () => this.backoff.reset());
    this.reader = new MachineReader(this.machine(shell, hello), this);
    this.reader.start();
  }

  private machine(shell: RemoteShell, { system }: Hello): Machine {
    const { tools, timers, intervalMs, tap = untapped } = this.room;
    const { launch } = shell;
    const kind: MachineKind = {
      system: {
        platform: system === 'Darwin' ? 'darwin' : 'linux',
        variables: {},
        launch,
        timers,
        tools,
        executables: {},
        adapters: () => Promise.resolve([]),
      },
      intervalMs,
      owners: ownersThrough(new ToolRunner('ps', launch, timers)),
      load: async () => {
        const answer = await shell.load();
        this.latencyMs = answer?.latencyMs ?? null;
        return answer?.load ?? null;
      },
      // Ignored for other machines: servers have no GPUs that sleep.
      sleepOf: () => neverAsleep,
      mayStream: true,
    };
    return machineOf(tap(kind));
  }

  private lost(end: SshEnd): void {
    this.leave();
    this.failed(sshTrouble(end, this.alias));
  }

  private failed(trouble: Trouble): void {
    const { dice, timers } = this.room;
    this.trouble = trouble;
    if (trouble.again === 'asked') this.nextTryMs = 0;
    else {
      const pause = trouble.again === 'late' ? LATE_MS : this.backoff.next() * (0.75 + dice() / 2);
      this.nextTryMs = timers.now() + Math.round(pause);
    }
    this.wait(trouble);
  }

  private wait({ state, message, todo, text, errorKind }: Trouble): void {
    const { nextTryMs } = this;
    this.cancel();
    if (nextTryMs > 0) {
      this.cancel = this.timers.after(nextTryMs - this.timers.now(), () => void this.connect());
    }
    const next = nextTryMs > 0 ? nextTryMs : null;
    const kind = errorKind === undefined ? {} : { errorKind };
    this.enter(state, { message, todo, text, nextTryMs: next, latencyMs: null, ...kind });
  }

  /** Ends the connection and everything that depends on it. */
  private leave(): void {
    this.turn += 1;
    this.cancel();
    this.letNextIn();
    this.reader?.stop();
    this.reader = null;
    this.shell?.close();
    this.shell = null;
    this.settle();
  }
}

/** Finds owners with the other side's ps; a hanging ps is not started twice. */
function ownersThrough(runner: ToolRunner): Owners {
  return async pids => {
    if (pids.length === 0) return new Map();
    const run = await runner.run(
      ['-ww', '-o', 'pid=,user=,args=', '-p', pids.map(String).join(',')],
      PS_TIMEOUT_MS,
    );
    return run.ok ? readPs(run.output.stdout) : new Map();
  };
}
