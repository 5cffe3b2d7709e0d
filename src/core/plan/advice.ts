import { commandLine } from '../launch/launch';
import { shellLine } from '../launch/words';
import type { Target } from '../hardware/gpu';
import { estimateRun } from '../memory/estimateRun';
import { formatBytes } from '../units';
import type { RunSpec } from '../spec/runSpec';
import { adviceWithoutBytes } from './adviceWithoutBytes';
import type { Advice } from './plan';
import type { RemedyContext } from './remedy';
import { gpusText } from '../hardware/describe';
import type { Say } from '../text/say';

/** Advice that cannot be written into the config. `gpus`: the plan's number of GPUs. */
export function adviceFor(context: RemedyContext, gpus: number | null): readonly Advice[] {
  const { run, target, say } = context;
  const count = gpus ?? run.quantities.gpus.value ?? target?.count ?? 1;
  return [
    ...growingSegments(context),
    ...adviceWithoutBytes(context),
    ...chosenDevices(say, target, count),
    ...startingLine(say, run, count),
  ];
}

/** Smaller savings are within the estimate's error. */
const WORTHWHILE_BYTES = 256 * 2 ** 20;

/** torch 2.9 renamed it and still accepts this name (c10/core/AllocatorConfig.h). */
const VARIABLE = 'PYTORCH_CUDA_ALLOC_CONF';

/**
 * Expandable segments instead of new ones. The allocator's unused memory comes from replaying the same allocations
 * with them (torch docs, "Optimizing memory usage with PYTORCH_CUDA_ALLOC_CONF").
 */
function growingSegments({ run, model, target, estimate, memory, say }: RemedyContext): readonly Advice[] {
  const now = estimate?.devices[0];
  const vendor = target?.gpu?.vendor ?? 'NVIDIA';
  if (!now || vendor !== 'NVIDIA') return [];
  const expandableSegments = { value: true, origin: { kind: 'user', setting: VARIABLE } } as const;
  const growing = { ...run, details: { ...run.details, expandableSegments } };
  const result = estimateRun(growing, model, target, { session: memory });
  const after = result.ok ? result.estimate.devices[0] : undefined;
  const saved = now.device.expected - (after?.device.expected ?? Infinity);
  if (saved < WORTHWHILE_BYTES) return [];
  const why = say('−{0}: less allocator fragmentation, with expandable segments (Linux)', formatBytes(saved));
  return [{ text: `${VARIABLE}=expandable_segments:True`, why }];
}

/**
 * The devices of the plan if the machine has others too. By UUID, because numbers change with CUDA_DEVICE_ORDER and
 * after a reboot (CUDA programming guide, "CUDA environment variables").
 */
function chosenDevices(say: Say, target: Target | null, count: number): readonly Advice[] {
  const { devices, gpu } = target ?? {};
  if (!devices || (gpu && gpu.vendor !== 'NVIDIA') || devices.uuids.length < count) return [];
  if (devices.ofMachine <= count) return [];
  const text = `CUDA_VISIBLE_DEVICES=${devices.uuids.slice(0, count).join(',')}`;
  const why =
    count === 1
      ? say('launch on the GPU with the most free memory, out of {0} here', devices.ofMachine)
      : say('launch on the {0} GPUs with the most free memory, out of {1} here', count, devices.ofMachine);
  return [{ text, why }];
}

/** The command that starts the framework with the config, from its documentation. */
function startingLine(say: Say, run: RunSpec, gpus: number): readonly Advice[] {
  const argv = commandLine(run, gpus);
  if (argv === null) return [];
  return [{ text: shellLine(argv), why: say('launch command for {0}', gpusText(say, gpus)) }];
}
