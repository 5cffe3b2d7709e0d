import assert from 'node:assert/strict';
import { detectGpus } from '../../../src/gpu/detect';
import type { Child } from '../../../src/gpu/launch';
import { Samplers } from '../../../src/gpu/samplers';
import type { Sampling, SamplerListener } from '../../../src/gpu/sampler';
import { blankSample } from '../../../src/gpu/sample';
import { gpuTools } from '../../../src/gpu/tools/registry';
import { FakeTimers } from './fake';

/** The output of some programs, by `program first-argument`; endless ones print and stay. */
type Script = Readonly<
  Record<string, { readonly text: string; readonly goesOn?: boolean; readonly exitCode?: number }>
>;

function scripted(script: Script, started: string[] = []) {
  return (executable: string, args: readonly string[]): Child => {
    const answer = script[`${executable} ${args[0] ?? ''}`] ?? script[executable];
    if (answer) started.push([executable, ...args].join(' '));
    return {
      onText(listener) {
        if (answer) queueMicrotask(() => listener('stdout', answer.text));
      },
      onEnd(listener) {
        const failure = answer ? null : 'not-found';
        const end = { exitCode: answer?.exitCode ?? 0, failure } as const;
        if (!answer?.goesOn) queueMicrotask(() => queueMicrotask(() => listener(end)));
      },
      stop: () => undefined,
    };
  };
}

const machine = (script: Script, platform: NodeJS.Platform = 'linux', started: string[] = []) => ({
  platform,
  variables: {},
  executables: {},
  launch: scripted(script, started),
  timers: new FakeTimers(),
  tools: gpuTools,
  adapters: () => Promise.resolve([]),
});

const NVIDIA = {
  'nvidia-smi --query-compute-apps=pid,used_memory,gpu_uuid,process_name': {
    text: 'pid, used_gpu_memory [MiB], gpu_uuid, process_name\n71, 900, GPU-a, python\n',
  },
  'nvidia-smi': {
    text: 'index, uuid, memory.total [MiB], memory.used [MiB], name\n0, GPU-a, 16384, 1000, Tesla V100\n',
  },
};

const tick = (busy: number): string =>
  `{"period": {"unit": "ms"}, "engines": {"Render/3D": {"busy": ${busy}, "unit": "%"}}, "power": {"GPU": 2.5}},\n`;

describe('gpu: vendors side by side', () => {
  it('are all seen, the card before the chip that shares the system’s memory', async () => {
    const intel = { intel_gpu_top: { text: `[\n${tick(99)}${tick(12)}`, goesOn: true } };
    const found = await detectGpus(machine({ ...NVIDIA, ...intel }));
    assert.deepEqual(
      found.devices.map(({ vendor, memoryKind }) => [vendor, memoryKind]),
      [
        ['nvidia', 'dedicated'],
        ['intel', 'unified'],
      ],
    );
    assert.deepEqual(
      found.sources?.map(({ tool }) => tool.id),
      ['nvidia-smi', 'intel_gpu_top'],
    );
    assert.equal(found.samples[1]?.utilPct, 12, 'the first tick is a spike that never was');
    assert.deepEqual(
      found.processes?.map(({ pid, deviceKey }) => [pid, deviceKey]),
      [[71, 'GPU-a']],
    );
  });

  it('keep a good vendor’s GPUs though another’s tool has nothing to show', async () => {
    const denied = {
      intel_gpu_top: { text: 'Failed to initialize PMU! (Permission denied)\n', exitCode: 1 },
    };
    const found = await detectGpus(machine({ ...NVIDIA, ...denied }));
    assert.deepEqual([found.devices.length, found.error], [1, null]);
  });

  it('know an AMD card by its UUID though its samples are numbered', async () => {
    const started: string[] = [];
    const found = await detectGpus(
      machine(
        {
          'amd-smi monitor': {
            text: 'GPU  POWER  GPU_TEMP  VRAM_USED  VRAM_TOTAL\n  0  171 W     32 °C     283 MB   196300 MB\n',
          },
          'amd-smi static': {
            text: '{"gpu_data": [{"gpu": 0, "asic": {"market_name": "MI300X"}, "bus": {"bdf": "0000:05:00.0"}}]}',
          },
          'amd-smi list': { text: '[{"gpu": 0, "bdf": "0000:05:00.0", "uuid": "aaff-1"}]' },
          'amd-smi process': {
            text: '[{"gpu": 0, "process_list": [{"process_info": {"name": "rvs", "pid": 5}}]}]',
          },
          'rocm-smi': { text: '{"card0": {"GPU use (%)": "1"}}' },
        },
        'linux',
        started,
      ),
    );
    const [device] = found.devices;
    assert.deepEqual([device?.key, device?.name, device?.memoryTotalMiB], ['aaff-1', 'MI300X', 196_300]);
    assert.deepEqual([found.samples[0]?.key, found.processes?.[0]?.deviceKey], ['aaff-1', 'aaff-1']);
    assert.ok(!started.some(command => command.startsWith('rocm-smi')), 'one tool of a vendor is enough');
  });

  it('show a Jetson once, and a card beside it, too', async () => {
    const tegra = {
      tegrastats: {
        text: 'RAM 6185/7620MB GR3D_FREQ 63%@[621] gpu@53C VDD_CPU_GPU_CV 4667mW/4667mW\n',
        goesOn: true,
      },
    };
    const both =
      'index, uuid, memory.total [MiB], name\n0, GPU-o, [N/A], Orin (nvgpu)\n1, GPU-r, 49140, NVIDIA RTX 6000 Ada\n';
    const found = await detectGpus(machine({ 'nvidia-smi': { text: both }, ...tegra }));
    assert.deepEqual(
      found.devices.map(({ name }) => name),
      ['NVIDIA RTX 6000 Ada', 'Orin'],
    );
  });
});

describe('gpu: several tools read as one', () => {
  it('tell the latest of all with each news, and are live when one is', () => {
    const listeners: SamplerListener[] = [];
    const part = (kind: 'live' | 'connecting'): Sampling => ({
      state: kind === 'live' ? { kind, by: 'stream' } : { kind },
      on: listener => {
        listeners.push(listener);
        return () => undefined;
      },
      hold: () => () => undefined,
      dispose: () => undefined,
    });
    const all = new Samplers([part('connecting'), part('live')]);
    const seen: string[][] = [];
    all.on({ samples: samples => seen.push(samples.map(({ key }) => key)), state: () => undefined });
    listeners[0]?.samples([blankSample('a', 1)]);
    listeners[1]?.samples([blankSample('b', 2)]);
    assert.deepEqual([seen, all.state.kind], [[['a'], ['a', 'b']], 'live']);
  });
});
