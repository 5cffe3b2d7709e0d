import { unknownDevice } from '../../src/gpu/device';
import type { Scene, SceneDevice, SceneHost } from './scenes';
import {
  hotCard,
  idle,
  local,
  nvidia,
  onDevice,
  predicted,
  sceneHost,
  slice,
  ssh,
  starved,
  status,
  training,
} from './scenes';

const rtx = nvidia(0, 'NVIDIA GeForce RTX 4090', 24_564);

const oneGpu: Scene = {
  hosts: [
    sceneHost(local, [
      {
        device: rtx,
        load: training(14_800, 450),
        processes: [
          onDevice(rtx, 48_213, {
            memoryUsedMiB: 14_210,
            user: 'ann',
            command: 'python3 -m axolotl.cli.train qlora.yml',
            smPct: 93,
          }),
          onDevice(rtx, 1201, { name: '/usr/lib/xorg/Xorg', type: 'G', memoryUsedMiB: 320, user: 'root' }),
        ],
      },
    ]),
  ],
  prediction: predicted,
};

/** Eight cards of one server, each with a different state. */
function eightDevices(): readonly SceneDevice[] {
  const name = 'NVIDIA H100 80GB HBM3';
  return Array.from({ length: 8 }, (_, index) => {
    const device = nvidia(index, name, 81_559);
    const user = index < 4 ? 'ann' : 'bob';
    const process = onDevice(device, 7000 + index, { memoryUsedMiB: 61_000, user, smPct: 91 });
    if (index === 3) return { device, load: starved(52_000, 700), processes: [process] };
    if (index === 5) return { device, load: hotCard(76_500, 700), processes: [process] };
    if (index === 6) {
      const held = onDevice(device, 7106, { memoryUsedMiB: 40_960, user: 'carol', name: 'jupyter-kernel' });
      return { device, load: idle(41_500, 700), processes: [held] };
    }
    if (index === 7) return { device, load: idle(4, 700), processes: [] };
    return { device, load: training(66_000 + 900 * index, 700, index * 3), processes: [process] };
  });
}

const eightGpus: Scene = {
  hosts: [sceneHost({ ...local, name: 'This machine' }, eightDevices())],
  prediction: { ...predicted, lowMiB: 31_000, expectedMiB: 33_400, highMiB: 38_000, target: 'H100 80GB' },
};

function manyHost(number: number): SceneHost {
  const name =
    ['NVIDIA A100-SXM4-80GB', 'NVIDIA H100 80GB HBM3', 'NVIDIA L40S', 'NVIDIA H200'][number % 4] ?? '';
  const total = [81_920, 81_559, 46_068, 143_771][number % 4] ?? 0;
  const devices = Array.from({ length: 8 }, (_, index) => {
    const device = nvidia(index, name, total);
    const load = (index + number) % 5 === 0 ? idle(3, 400) : training(total * 0.8, 400, index * 5 + number);
    const processes =
      (index + number) % 5 === 0
        ? []
        : [onDevice(device, 9000 + index, { memoryUsedMiB: 30_000, user: 'ann' })];
    return { device, load, processes };
  });
  return sceneHost(ssh(`node${String(number + 1).padStart(2, '0')}`), devices);
}

/** As many GPUs as in a rack. */
export const sixtyFourGpus: Scene = {
  hosts: Array.from({ length: 8 }, (_, number) => manyHost(number)),
  prediction: predicted,
};

const a100 = nvidia(0, 'NVIDIA A100-SXM4-40GB', 40_960, {
  mig: { enabled: true, instances: [slice(0, '3g.20gb', 19_968, 12_800), slice(1, '2g.10gb', 9728, 3)] },
});
const spark = nvidia(0, 'NVIDIA GB10', 122_570, { memoryKind: 'unified' });

const troubled: Scene = {
  hosts: [
    sceneHost(local, [{ device: rtx, load: training(14_800, 450), processes: [] }]),
    sceneHost(
      ssh('trainer'),
      [{ device: nvidia(0, 'NVIDIA RTX A6000', 49_140), load: training(30_000, 300), processes: [] }],
      {
        status: status('unreachable', {
          message: 'trainer did not answer: the connection was cut.',
          todo: 'Check the network, or try `ssh trainer true` in a terminal.',
          text: 'ssh: connect to host trainer port 22: Connection timed out',
          nextTryMs: 0,
        }),
        cpuPct: null,
      },
    ),
    sceneHost(ssh('lab'), [], {
      status: status('auth-needed', {
        message: 'lab wants a login that is not there.',
        todo: 'Run `ssh-add` once, or log in with `ssh lab` in a terminal.',
        text: 'ann@lab: Permission denied (publickey).',
      }),
      cpuPct: null,
    }),
    sceneHost(
      ssh('old-box'),
      [{ device: nvidia(0, 'NVIDIA TITAN V', 12_288), load: training(6000, 250), processes: [] }],
      {
        status: status('stale', { message: 'Nothing came for three intervals.' }),
      },
    ),
  ],
  prediction: null,
};

const special: Scene = {
  hosts: [
    sceneHost(ssh('mig-box'), [
      {
        device: a100,
        load: { ...training(12_900, 400), utilPct: () => 0 },
        processes: [
          onDevice(a100, 311, {
            memoryUsedMiB: 12_700,
            user: 'ann',
            gpuInstanceId: 7,
            computeInstanceId: 0,
            container: '3f2a91',
          }),
        ],
      },
    ]),
    sceneHost(ssh('spark'), [{ device: spark, load: training(52_000, 140), processes: [] }]),
    sceneHost(ssh('guest'), [
      {
        device: unknownDevice({
          key: 'vgpu',
          vendor: 'nvidia',
          index: 0,
          name: 'GRID V100D-8Q',
          memoryTotalMiB: 8192,
          virtualization: 'vGPU',
        }),
        load: null,
        processes: [],
      },
    ]),
    sceneHost({ id: 'slurm:hpc', kind: 'slurm', name: 'hpc' }, [], {
      cpuPct: null,
      status: status('live', { collector: 'sinfo' }),
      capacities: [
        {
          place: 'gpu',
          gpu: 'a100',
          memoryMiB: 81_920,
          nodes: 12,
          gpusTotal: 48,
          gpusFree: 9,
          note: '1-00:00:00 at most',
        },
        {
          place: 'gpu-long',
          gpu: 'v100',
          memoryMiB: 32_768,
          nodes: 8,
          gpusTotal: 32,
          gpusFree: 0,
          note: '2 nodes drained',
        },
        { place: 'debug', gpu: null, memoryMiB: null, nodes: 1, gpusTotal: 2, gpusFree: null, note: null },
      ],
    }),
  ],
  prediction: predicted,
};

const noGpu: Scene = {
  hosts: [
    sceneHost(local, [], {
      status: status('no-gpu', { message: 'No GPU tool found one.', collector: null }),
      cpuPct: null,
    }),
  ],
  prediction: null,
};

/** The scenes that pictures are taken of. */
export const scenes: Readonly<Record<string, Scene>> = {
  'one GPU': oneGpu,
  '8 GPUs': eightGpus,
  '64 GPUs': sixtyFourGpus,
  'hosts down': troubled,
  'special devices': special,
  'no GPU': noGpu,
  jobs: { ...oneGpu, hasJobs: true },
  'jobs without a GPU': { ...noGpu, hasJobs: true },
  restricted: { hosts: [], prediction: null, isRestricted: true },
};
