import { randomBytes } from 'node:crypto';
import type { Cluster, ClusterAnswer } from '../clusterWatch';
import type { Launch } from '../launch';
import { sshArguments } from '../../remote/sshArguments';
import { RemoteShell } from '../ssh/remoteShell';
import type { SshRoom } from '../ssh/sshWatch';
import { sshTrouble } from '../../remote/sshTroubles';
import type { SshTrouble } from '../../remote/sshTroubles';
import { SlurmCluster } from './cluster';
import { commandsOnLogin } from './commands';

type Connection = { readonly ok: true; readonly slurm: SlurmCluster } | { readonly ok: false };

/** Slurm behind a login node, over one connection that stays open between queries. */
export class SshSlurmCluster implements Cluster {
  private connection: Promise<Connection> | null = null;
  private trouble: SshTrouble | null = null;
  private leave: () => void = () => undefined;

  constructor(
    private readonly alias: string,
    private readonly room: SshRoom,
    private readonly tap: (launch: Launch) => Launch = launch => launch,
  ) {}

  async ask(): Promise<ClusterAnswer> {
    this.trouble = null;
    this.connection ??= this.connect();
    const connection = await this.connection;
    const answer = connection.ok ? await connection.slurm.ask() : null;
    // A lost connection explains more than the command that ended with it.
    return this.failureAnswer() ?? answer ?? GONE;
  }

  close(): void {
    this.leave();
    this.connection = null;
  }

  private failureAnswer(): ClusterAnswer | null {
    if (this.trouble === null) return null;
    const { state, message, todo, text, again } = this.trouble;
    return { ok: false, state, why: { message, todo, text }, isFinal: again === 'asked' };
  }

  private async connect(): Promise<Connection> {
    const { program, platform, talk, timers, gate } = this.room;
    const wanted = { is: true };
    this.leave = () => (wanted.is = false);
    const letNextIn = await gate.enter();
    return new Promise(resolve => {
      const over = (): void => {
        letNextIn();
        resolve({ ok: false });
      };
      if (!wanted.is) {
        over();
        return;
      }
      const ssh = talk(program.path, sshArguments(program, this.alias, platform));
      const shell = new RemoteShell(ssh, timers, randomBytes(8).toString('hex'), {
        ready: () => {
          letNextIn();
          const launch = this.tap(shell.launch);
          resolve({ ok: true, slurm: new SlurmCluster(launch, timers, commandsOnLogin) });
        },
        closed: end => {
          this.trouble = sshTrouble(end, this.alias);
          this.connection = null;
          over();
        },
      });
      this.leave = () => {
        shell.close();
        over();
      };
    });
  }
}

const GONE: ClusterAnswer = {
  ok: false,
  state: 'unreachable',
  why: { message: 'The connection was ended.' },
  isFinal: false,
};
