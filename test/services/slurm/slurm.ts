import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { SlurmAccounting } from './accounting';
import { findProgram, installed, orEnded, pause, processesWith, signal, until } from '../processes';

/** Why Slurm is not available here; null if it is. */
export function whyNoSlurm(): string | null {
  if (process.platform !== 'linux') return 'the Slurm suite runs on Linux';
  if (process.getuid?.() !== 0) return 'Slurm’s daemons and its GPUs’ device files need root';
  return installed('slurmctld', 'slurm-wlm', 'munge') ?? installed('munged', 'munge');
}

const MEMORY_GROUPS = '/sys/fs/cgroup/memory';

/** Why Slurm cannot get memory limits here; null if it can. Its cgroups of version 2 need systemd. */
export function whyNoMemoryGroups(): string | null {
  if (!existsSync(join(MEMORY_GROUPS, 'memory.limit_in_bytes'))) {
    return 'OUT_OF_MEMORY is Slurm’s word for kills in a cgroup of memory, and there is none of version 1 here (version 2 needs systemd)';
  }
  const mine = join(MEMORY_GROUPS, `headroom-test-${process.pid}`);
  try {
    mkdirSync(mine);
    rmdirSync(mine);
    return null;
  } catch {
    return 'OUT_OF_MEMORY is Slurm’s word for kills in a cgroup of memory, and none may be made here';
  }
}

/** Jobs get a cgroup with the memory that they requested: lines of slurm.conf and of cgroup.conf. */
export const LIMITED = {
  conf: [
    'TaskPlugin=task/cgroup',
    'JobAcctGatherType=jobacct_gather/linux',
    'SelectTypeParameters=CR_Core_Memory',
  ],
  cgroups: [
    'CgroupAutomount=no',
    'CgroupPlugin=cgroup/v1',
    'CgroupMountpoint=/sys/fs/cgroup',
    'ConstrainRAMSpace=yes',
  ],
};

/** Nodes with whole GPUs, with MIG slices, and one that is down from the start. */
const NODES = [
  { names: 'gpu1', gres: 'gpu:a100:8', devices: '[0-7]', type: 'a100' },
  { names: 'gpu2', gres: 'gpu:a100:8', devices: '[0-7]', type: 'a100' },
  { names: 'mig1', gres: 'gpu:a100_1g.10gb:4', devices: '[0-3]', type: 'a100_1g.10gb' },
];

/** A real Slurm without systemd: munged, slurmctld and a slurmd for each node, with its own ports and folder. */
export class Slurm {
  readonly folder = mkdtempSync(join(tmpdir(), 'headroom-slurm-'));
  readonly conf = join(this.folder, 'slurm.conf');
  private readonly host = hostname().split('.')[0] ?? 'localhost';

  /** `more`: lines of slurm.conf; the last one of a name applies. */
  constructor(
    private readonly basePort: number,
    private readonly more: readonly string[] = [],
    private readonly cgroups: readonly string[] = ['CgroupAutomount=no'],
  ) {}

  /**
   * With `accounting`, sacct has data: slurmdbd and its own database start after munged and before the rest. If the
   * rest
   * fails to start, the started parts are ended.
   */
  async start(accounting: SlurmAccounting | null = null): Promise<void> {
    await orEnded(
      () => this.startAll(accounting),
      () => this.end(),
    );
  }

  private async startAll(accounting: SlurmAccounting | null): Promise<void> {
    const { folder } = this;
    for (const name of ['state', 'dev', 'munge', 'log']) mkdirSync(join(folder, name), { recursive: true });
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'munge'), 0o711);
    // Any character device can stand in for a GPU.
    for (let i = 0; i < 8; i++) spawnSync('mknod', [join(folder, 'dev', `nvidia${i}`), 'c', '1', '3']);
    writeFileSync(join(folder, 'munge', 'key'), randomBytes(128), { mode: 0o400 });
    writeFileSync(this.conf, this.configuration());
    writeFileSync(join(folder, 'gres.conf'), this.gres());
    writeFileSync(join(folder, 'cgroup.conf'), `${this.cgroups.join('\n')}\n`);
    this.daemon('munged', '--force', ...this.munge());
    appendFileSync(this.conf, (await accounting?.start(folder, this.basePort + 10)) ?? '');
    this.daemon('slurmctld', '-f', this.conf);
    for (const { names } of NODES) this.startNode(names);
    await until(
      () =>
        this.run('sinfo', '-h', '-N', '-p', 'gpu,mig', '-o', '%t').split('\n').filter(Boolean).join() ===
        IDLE,
      () => this.log(),
      30_000,
    );
  }

  /** The output of a Slurm command. */
  run(program: string, ...args: readonly string[]): string {
    const ran = spawnSync(program, args, { env: this.env(), encoding: 'utf8', timeout: 15_000 });
    return ran.status === 0 ? ran.stdout.trim() : '';
  }

  /** Submits a job that sleeps, and waits until it reaches the state. */
  async submit(state: string, ...args: readonly string[]): Promise<void> {
    const id = this.run(
      'sbatch',
      '--parsable',
      '-o',
      '/dev/null',
      '--mem=10',
      ...args,
      '--wrap',
      'sleep 600',
    );
    const seen = () => this.run('squeue', '-h', '-j', id, '-o', '%t');
    await until(
      () => seen() === state,
      () => ({ id, state: seen(), log: this.log() }),
    );
  }

  env(): NodeJS.ProcessEnv {
    return { ...process.env, SLURM_CONF: this.conf };
  }

  startNode(name: string): void {
    this.daemon('slurmd', '-f', this.conf, '-N', name);
  }

  /**
   * Simulates a power failure of a node: its daemon and all its children end at once, so that none can report
   * another's end.
   */
  killNode(name: string): void {
    const pid = Number(readFileSync(join(this.folder, `slurmd-${name}.pid`), 'utf8'));
    const ours = processesWith(this.folder);
    const jobs = processesWith(`SLURMD_NODENAME=${name}`).filter(one => ours.includes(one));
    const keepers = jobs.map(parentOf).filter(one => commandOf(one).startsWith('slurmstepd'));
    const all = [pid, ...keepers, ...jobs];
    signal(all, 'SIGSTOP');
    signal(all, 'SIGKILL');
  }

  stopController(): void {
    const pid = Number(readFileSync(join(this.folder, 'slurmctld.pid'), 'utf8'));
    signal([pid], 'SIGKILL');
  }

  /** Ends everything that was started in the folder, jobs first. */
  async end(): Promise<void> {
    if (existsSync(this.conf)) this.run('scancel', '-s', 'KILL', '--full', '-u', userInfo().username);
    signal(processesWith(this.folder), 'SIGTERM');
    for (let round = 0; round < 30 && processesWith(this.folder).length > 0; round++) await pause(100);
    signal(processesWith(this.folder), 'SIGKILL');
    await until(
      () => processesWith(this.folder).length === 0,
      () => processesWith(this.folder),
    );
    rmSync(this.folder, { recursive: true, force: true });
    if (this.cgroups.length > 1) {
      for (const { names } of NODES) removeGroups(join(MEMORY_GROUPS, `slurm_${names}`));
    }
  }

  private daemon(name: string, ...args: readonly string[]): void {
    const ran = spawnSync(findProgram(name) ?? name, args, {
      env: this.env(),
      encoding: 'utf8',
      timeout: 15_000,
    });
    if (ran.status !== 0) throw new Error(`${name}: ${ran.stderr}`);
  }

  private munge(): readonly string[] {
    const file = (name: string) => join(this.folder, 'munge', name);
    return [
      `--key-file=${file('key')}`,
      `--socket=${file('socket')}`,
      `--pid-file=${join(this.folder, 'munged.pid')}`,
      `--log-file=${join(this.folder, 'log', 'munged.log')}`,
      `--seed-file=${file('seed')}`,
    ];
  }

  private gres(): string {
    return NODES.map(
      ({ names, type, devices }) =>
        `NodeName=${names} Name=gpu Type=${type} File=${this.folder}/dev/nvidia${devices}\n`,
    ).join('');
  }

  private configuration(): string {
    const { folder, host, basePort } = this;
    const user = userInfo().username;
    const node = (name: string, port: number, more: string) =>
      `NodeName=${name} NodeHostname=${host} NodeAddr=127.0.0.1 Port=${port} CPUs=16 RealMemory=1000 ${more}`;
    return `${[
      'ClusterName=headroomtest',
      `SlurmctldHost=${host}(127.0.0.1)`,
      `SlurmUser=${user}`,
      `SlurmdUser=${user}`,
      'AuthType=auth/munge',
      `AuthInfo=socket=${folder}/munge/socket`,
      'CredType=cred/munge',
      // Fewer real cores than configured are no reason to drain.
      'SlurmdParameters=config_overrides',
      `SlurmctldPort=${basePort}`,
      `StateSaveLocation=${folder}/state`,
      `SlurmdSpoolDir=${folder}/spool-%n`,
      `SlurmctldPidFile=${folder}/slurmctld.pid`,
      `SlurmdPidFile=${folder}/slurmd-%n.pid`,
      `SlurmctldLogFile=${folder}/log/slurmctld.log`,
      `SlurmdLogFile=${folder}/log/slurmd-%n.log`,
      'ProctrackType=proctrack/pgid',
      'TaskPlugin=task/none',
      'SwitchType=switch/none',
      'MpiDefault=none',
      'ReturnToService=2',
      'SchedulerType=sched/backfill',
      'SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0',
      'SelectType=select/cons_tres',
      'SelectTypeParameters=CR_Core',
      'GresTypes=gpu',
      'AccountingStorageType=accounting_storage/none',
      'JobAcctGatherType=jobacct_gather/none',
      'KillWait=1',
      'MessageTimeout=5',
      ...NODES.map(({ names, gres }, i) => node(names, basePort + 1 + i, `Gres=${gres} State=UNKNOWN`)),
      node('gone1', basePort + 8, 'Gres=gpu:h100:8 State=DOWN Reason="power supply broken"'),
      'PartitionName=gpu Nodes=gpu[1-2] Default=YES MaxTime=1-00:00:00 State=UP',
      'PartitionName=mig Nodes=mig1 MaxTime=04:00:00 State=UP',
      'PartitionName=old Nodes=gone1 State=UP',
      ...this.more,
    ].join('\n')}\n`;
  }

  private log(): string {
    const file = join(this.folder, 'log', 'slurmctld.log');
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(-5).join('\n') : '';
  }
}

/** A node's cgroup and its children, which Slurm leaves behind when it is killed. */
function removeGroups(group: string): void {
  if (!existsSync(group)) return;
  const below = readdirSync(group, { withFileTypes: true }).filter(entry => entry.isDirectory());
  for (const { name } of below) removeGroups(join(group, name));
  rmdirSync(group);
}

const parentOf = (pid: number): number =>
  Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8');

const IDLE = NODES.map(() => 'idle').join();
