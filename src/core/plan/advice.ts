import { commandLine } from '../launch/launch';
import { shellLine } from '../launch/words';
import type { Target } from '../hardware/gpu';
import { estimateRun } from '../memory/estimateRun';
import { formatBytes } from '../units';
import type { RunSpec } from '../spec/runSpec';
import { adviceWithoutBytes } from './adviceWithoutBytes';
import type { Advice } from './plan';
import type { RemedyContext } from './remedy';

/** What cannot be written into the config and helps all the same. `gpus`: how many the plan is for. */
export function adviceFor(context: RemedyContext, gpus: number | null): readonly Advice[] {
  const { run, target } = context;
  const count = gpus ?? run.quantities.gpus.value ?? target?.count ?? 1;
  return [
    ...growingSegments(context),
    ...adviceWithoutBytes(context),
    ...chosenDevices(target, count),
    ...startingLine(run, count),
  ];
}

/** Less is within what an estimate can be wrong by. */
const WORTHWHILE_BYTES = 256 * 2 ** 20;

/** torch 2.9 has renamed it and still takes this name (c10/core/AllocatorConfig.h). */
const VARIABLE = 'PYTORCH_CUDA_ALLOC_CONF';

/**
 * Segments that grow instead of new ones next to them: what the allocator then holds and does not use is worked out by
 * replaying the same allocations so (torch docs, "Optimizing memory usage with PYTORCH_CUDA_ALLOC_CONF").
 */
function growingSegments({ run, model, target, estimate, memory }: RemedyContext): readonly Advice[] {
  const now = estimate?.devices[0];
  const vendor = target?.gpu?.vendor ?? 'NVIDIA';
  if (!now || vendor !== 'NVIDIA') return [];
  const expandableSegments = { value: true, origin: { kind: 'user', setting: VARIABLE } } as const;
  const growing = { ...run, details: { ...run.details, expandableSegments } };
  const result = estimateRun(growing, model, target, { session: memory });
  const after = result.ok ? result.estimate.devices[0] : undefined;
  const saved = now.device.expected - (after?.device.expected ?? Infinity);
  if (saved < WORTHWHILE_BYTES) return [];
  const why = `−${formatBytes(saved)}: less allocator fragmentation, with expandable segments (Linux)`;
  return [{ text: `${VARIABLE}=expandable_segments:True`, why }];
}

/**
 * The devices that the plan was made for, where the machine has others too: by UUID, as numbers change with
 * CUDA_DEVICE_ORDER and from one boot to the next (CUDA programming guide, "CUDA environment variables").
 */
function chosenDevices(target: Target | null, count: number): readonly Advice[] {
  const { devices, gpu } = target ?? {};
  if (!devices || (gpu && gpu.vendor !== 'NVIDIA') || devices.uuids.length < count) return [];
  if (devices.ofMachine <= count) return [];
  const text = `CUDA_VISIBLE_DEVICES=${devices.uuids.slice(0, count).join(',')}`;
  const which = count === 1 ? 'the GPU' : `the ${count} GPUs`;
  return [{ text, why: `launch on ${which} with the most free memory, out of ${devices.ofMachine} here` }];
}

/** How the framework is started with the config, as its documentation has it. */
function startingLine(run: RunSpec, gpus: number): readonly Advice[] {
  const argv = commandLine(run, gpus);
  if (argv === null) return [];
  return [{ text: shellLine(argv), why: `launch command for ${gpus === 1 ? '1 GPU' : `${gpus} GPUs`}` }];
}
