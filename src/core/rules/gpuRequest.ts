import type { DeviceEstimate } from '../memory/estimate';
import { profileOf } from '../memory/frameworks/profileOf';
import type { Location, Quantity } from '../spec/quantity';
import type { GpuShare } from '../spec/runSpec';
import { formatBytes, MIB } from '../units';
import type { Report, Rule, RuleContext, SuggestedRemedy } from './rule';
import { gpusText } from '../hardware/describe';
import { said, template } from '../text/say';
import type { Template } from '../text/say';

/** Amounts that people write: 5,632 MiB rather than 5,487. */
const STEP_MIB = 256;

/** Where a file states a quantity; null: elsewhere. */
const placeOf = ({ origin }: Pick<Quantity<unknown>, 'origin'>): Location | null =>
  origin.kind === 'file' ? origin.at : null;

function setTo(at: Location | null, to: string, isText: boolean): readonly SuggestedRemedy[] {
  return at === null ? [] : [{ changes: [{ stated: at, to: isText ? to : Number(to) }] }];
}

/** What a scheduler gives of a GPU, in bytes; null: a share of a GPU of unknown size. */
function bytesOf({ unit, amount }: GpuShare, totalMiB: number | null): number | null {
  const value = amount.value ?? 0;
  if (unit === 'MiB') return value * MIB;
  return totalMiB === null ? null : (value / (unit === '%' ? 100 : 1)) * totalMiB * MIB;
}

/** The least amount in the share's unit that holds the upper end of the estimate; null: no share of this GPU does. */
function enough({ unit }: GpuShare, { device }: DeviceEstimate, totalMiB: number | null): string | null {
  const neededMiB = Math.ceil(device.high / MIB / STEP_MIB) * STEP_MIB;
  if (totalMiB !== null && neededMiB > totalMiB) return null;
  if (unit === 'MiB') return String(neededMiB);
  if (totalMiB === null) return null;
  const percent = Math.ceil((neededMiB / totalMiB) * 100);
  return unit === '%' ? String(percent) : (percent / 100).toFixed(2);
}

const CONSEQUENCE: Readonly<Record<GpuShare['scheduler'], Template>> = {
  HAMi: template('HAMi lets it allocate no more than that.'),
  KAI: template('KAI limits nothing: it takes the memory of its neighbors, or runs out.'),
};

export const gpuShareTooSmall: Rule = {
  id: 'gpu-share-too-small',
  severity: 'warning',
  summary: 'A pod asks for a part of a GPU that is less than its run needs.',
  sources: [
    'Project-HAMi docs: nvidia.com/gpumem, nvidia.com/gpumem-percentage limit the memory of a container',
    'KAI-Scheduler docs/gpu-sharing: gpu-memory (MiB) and gpu-fraction are not enforced',
  ],
  check({ run, estimate, target, say }): readonly Report[] {
    const share = run.launched?.gpuShare;
    const device = estimate?.devices[0];
    if (!share || !device || estimate.onMachine) return [];
    // A server under HAMi fills a share of what it sees, which is only its part.
    if (share.scheduler === 'HAMi' && profileOf(run.framework).serving !== null) return [];
    const totalMiB = target?.totalMiB ?? null;
    const given = bytesOf(share, totalMiB);
    if (given === null || given >= device.device.expected) return [];
    const to = enough(share, device, totalMiB);
    const message = say(
      'Asks for {0} of a GPU, but needs ≈ {1}. {2} {3}',
      formatBytes(given),
      formatBytes(device.device.expected),
      said(say, CONSEQUENCE[share.scheduler]),
      to === null ? say('Ask for whole GPUs.') : say('Ask for more, or use less.'),
    );
    const at = placeOf(share.amount);
    // Annotations are texts.
    const remedies = to === null ? [] : setTo(at, to, share.scheduler === 'KAI');
    return [{ at: ['quantity:microBatchSize', 'quantity:model'], message, remedies }];
  },
};

/** GPUs that an engine starts ranks on; null: unknown. */
function ranksOf({ run }: RuleContext): number | null {
  const parallel = run.quantities.parallel.value;
  return parallel === null ? null : parallel.tensor * parallel.pipeline;
}

export const fewerGpusThanRanks: Rule = {
  id: 'fewer-gpus-than-ranks',
  severity: 'error',
  summary: 'A manifest requests fewer GPUs than the server has ranks.',
  sources: [
    'vllm config/parallel.py: world_size = pipeline_parallel_size × tensor_parallel_size',
    'vllm executor/ray_utils.py: “The number of required GPUs exceeds the total number of available GPUs”',
  ],
  check(context): readonly Report[] {
    const { run } = context;
    const { devices, nodes } = run.launched ?? {};
    const ranks = ranksOf(context);
    const at = devices ? placeOf(devices) : null;
    if (typeof devices?.value !== 'number' || !at || ranks === null) return [];
    if (profileOf(run.framework).serving === null) return [];
    const pods = nodes?.value ?? 1;
    if (!at.path.includes('nvidia.com/gpu') || ranks <= devices.value * pods) return [];
    const perPod = Math.ceil(ranks / pods);
    const message = context.say(
      'The server starts {0} ranks, but {1} are requested: it waits for the others or stops. Request {2} per pod, or use fewer ranks.',
      ranks,
      gpusText(context.say, devices.value * pods),
      gpusText(context.say, perPod),
    );
    // A larger machine may not exist: no cloud has more than 16 GPUs in one.
    const remedies = perPod > 16 ? [] : setTo(at, String(perPod), false);
    return [{ at: ['quantity:parallel', 'quantity:devices', 'quantity:model'], message, remedies }];
  },
};
