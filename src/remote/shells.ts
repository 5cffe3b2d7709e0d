import { sshArguments, sshOptions, sshEnvironment } from './sshArguments';
import type { SshProgram } from './sshArguments';
import { Calls } from './calls';
import type { Gate } from './gate';
import { nodeTalk } from './talk';
import type { Talk } from './talk';

interface ShellsRoom {
  readonly program: SshProgram;
  readonly platform: NodeJS.Platform;
  /** Limits simultaneous handshakes. */
  readonly gate: Gate;
  /** How long a connection stays open after its last call. */
  readonly lingerMs: number;
}

/** Shells on other machines, one connection each; null is this machine. */
export class Shells {
  private readonly calls = new Map<string | null, Calls>();

  constructor(
    private readonly room: ShellsRoom,
    private readonly functions: string,
  ) {}

  at(alias: string | null): Calls {
    const known = this.calls.get(alias);
    if (known) return known;
    const calls = new Calls(() => this.start(alias), this.functions, this.room.lingerMs);
    this.calls.set(alias, calls);
    return calls;
  }

  /** A separate shell, for data sent in one stream. */
  async start(alias: string | null): Promise<{ readonly talk: Talk; readonly isIn: () => void }> {
    if (alias === null) return { talk: nodeTalk('sh', ['-s']), isIn: () => undefined };
    const { program, platform, gate } = this.room;
    const args = sshArguments(program, alias, platform);
    const isIn = await gate.enter();
    return { talk: nodeTalk(program.path, args, { env: sshEnvironment(process.env) }), isIn };
  }

  /** The words with which another program calls ssh, without a host. */
  get sshWords(): readonly string[] {
    return [this.room.program.path, ...sshOptions(this.room.program, this.room.platform)];
  }

  dispose(): void {
    for (const calls of this.calls.values()) calls.dispose();
    this.calls.clear();
  }
}
