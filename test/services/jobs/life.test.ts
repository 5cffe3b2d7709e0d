import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { EngineRoom } from '../../../src/jobs/engineMaker';
import { jobContract } from '../../jobs/contract';
import { pause, processesWith, signal } from '../processes';
import { Ray, whyNoRay } from '../ray/ray';
import { Slurm, whyNoSlurm } from '../slurm/slurm';
import { SshBench, whyNoSshd } from '../ssh/sshd';

const SLURM_PORT = 18_650;
const RAY_PORT = 28_640;
const KEEPER = resolve('dist/keeper.js');

const room = (folder: string, more: Partial<EngineRoom> = {}): EngineRoom => ({
  state: join(folder, 'records'),
  keeper: KEEPER,
  executables: {},
  ssh: {},
  startLimitMs: 15_000,
  ...more,
});

/** A new home folder on the remote side. */
function homeIn(folder: string): string {
  const home = join(folder, 'home');
  mkdirSync(home);
  return home;
}

/** Sets variables of this process, which starts the engine's programs; returns a function that restores them. */
function withVariables(variables: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(variables).map(name => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  };
}

/** Kills all processes of a job, whoever started them, until none is left. */
async function killAll(id: string): Promise<void> {
  for (let found = processesWith(id); found.length > 0; found = processesWith(id)) {
    signal(found, 'SIGKILL');
    await pause(50);
  }
}

jobContract({
  title: 'services: over SSH',
  missing: whyNoSshd,
  limitMs: 90_000,
  open: async () => {
    const bench = new SshBench();
    const server = await bench.serve('far', null, { environment: { HOME: homeIn(bench.folder) } });
    return {
      room: room(bench.folder, { ssh: { configFile: bench.configFile } }),
      asks: { place: { engine: 'ssh', alias: 'far', folder: null } },
      stopSignal: 'SIGINT',
      breakOff: async () => {
        signal(server.sessions(), 'SIGKILL');
        await server.stop();
        await server.start();
      },
      lose: ({ id }) => killAll(id),
      end: async () => {
        await bench.end();
        assert.deepEqual(processesWith(bench.folder), []);
      },
    };
  },
});

jobContract({
  title: 'services: in Slurm, through a login node',
  missing: () => whyNoSlurm() ?? whyNoSshd(),
  limitMs: 120_000,
  open: async () => {
    const slurm = new Slurm(SLURM_PORT);
    await slurm.start();
    const home = homeIn(slurm.folder);
    const bench = new SshBench();
    const environment = { SLURM_CONF: slurm.conf, HOME: home };
    const server = await bench.serve('login', null, { environment });
    const limits = { timeMinutes: 5, cpus: 1, memoryMiB: 10, array: null, requeue: false };
    return {
      room: room(bench.folder, { ssh: { configFile: bench.configFile } }),
      asks: {
        place: { engine: 'slurm', alias: 'login', partition: 'gpu' },
        gpus: { count: 1, uuids: [], needBytes: null },
        limits,
      },
      stopSignal: 'SIGINT',
      breakOff: async () => {
        signal(server.sessions(), 'SIGKILL');
        await server.stop();
        await server.start();
      },
      // Slurm has forgotten it, and its script could not record how it ended.
      lose: async ({ id, handle }) => {
        slurm.run('scancel', '-s', 'KILL', '--full', String(handle?.['slurm']));
        await killAll(id);
        const folder = join(home, '.headroom/jobs', id);
        rmSync(join(folder, 'exit'), { force: true });
        writeFileSync(join(folder, 'slurm'), '999999\n');
      },
      end: async () => {
        await bench.end();
        await slurm.end();
        assert.deepEqual(processesWith(slurm.folder), []);
      },
    };
  },
});

jobContract({
  title: 'services: in Ray',
  missing: whyNoRay,
  limitMs: 150_000,
  open: async () => {
    const ray = new Ray(RAY_PORT, 4);
    await ray.start();
    const restored = withVariables({ RAY_AUTH_TOKEN: ray.token });
    return {
      room: room(ray.folder),
      asks: {
        place: { engine: 'ray', address: ray.address },
        gpus: { count: 1, uuids: [], needBytes: null },
      },
      stopSignal: 'SIGTERM',
      // The cluster looks after it, and no local process does: only the client that started it can be lost.
      breakOff: () => Promise.resolve(),
      // It is a different cluster, which does not know the job.
      lose: () => ray.restart(),
      end: async () => {
        restored();
        await ray.end();
        assert.deepEqual(processesWith(ray.folder), []);
      },
    };
  },
});
