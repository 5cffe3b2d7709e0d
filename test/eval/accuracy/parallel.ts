import type { PublishedRecord } from './publishedRecord';
import type { StatedDetails, StatedQuantities } from './stated';

export function gpuCount({ parallelism }: PublishedRecord): number | null {
  const gpus = parallelism?.['gpus'];
  return typeof gpus === 'number' ? gpus : null;
}

/** `2`, `FULL_SHARD (8)`: ranks that share one copy. */
function shardsOf(fsdp: unknown): number | null {
  if (typeof fsdp === 'number') return fsdp;
  const counted = typeof fsdp === 'string' ? /\((\d+)\)/.exec(fsdp)?.[1] : undefined;
  return counted === undefined ? null : Number(counted);
}

/** Megatron's distributed optimizer: sharded masters and states. */
const distributes = ({ optimizer }: PublishedRecord): boolean =>
  /^adam \(?distributed/i.test(optimizer ?? '');

/** How a run is spread over GPUs: anything except plain replicas is stated so that it can be refused. */
export function parallelOf(record: PublishedRecord): StatedQuantities {
  const { fsdp, zero_stage: zero, tp, pp, cp, ep, mode } = record.parallelism ?? {};
  const degree = (value: unknown): number => (typeof value === 'number' ? value : 1);
  const gpus = gpuCount(record);
  const inTurn = typeof mode === 'string' && /device_map|sequential/.test(mode);
  return {
    ...(gpus !== null && { gpus }),
    ...(fsdp && gpus !== 1
      ? {
          fsdp: { version: null, strategy: 'FULL_SHARD', offloadParams: null, activationCheckpointing: null },
        }
      : {}),
    ...(zero === 1 || zero === 2 || zero === 3 ? { zeroStage: zero } : {}),
    ...(distributes(record) && { zeroStage: 1 as const }),
    parallel: {
      tensor: degree(tp),
      pipeline: inTurn ? degree(gpus) : degree(pp),
      context: degree(cp),
      expert: degree(ep),
      dataShard: shardsOf(fsdp),
      dataReplicate: null,
    },
  };
}

/** How a record says that layers are split: virtual stages of a pipeline, or the name of a schedule with two. */
export function pipelineOf({ parallelism }: PublishedRecord): StatedDetails {
  const { vpp, schedule, pp } = parallelism ?? {};
  if (typeof pp !== 'number' || pp < 2) return {};
  if (typeof vpp === 'number') return { pipelineChunks: vpp };
  return typeof schedule === 'string' && /^interleaved/i.test(schedule) ? { pipelineChunks: 2 } : {};
}

/** The groups that a record counts in. */
export function groupsOf(record: PublishedRecord): readonly string[] {
  const { completeness, task } = record;
  const training = /finetune|lora|pretrain|peft|train|fwd\+bwd|adapter/.test(task);
  const single = gpuCount(record) === 1;
  const decoder = !/vision|diffusion|encoder|embedding/.test(task);
  const allocated = record.metric_class === 'torch allocated';
  const groups = [
    'published',
    completeness === 'A' && 'A',
    ...(completeness === 'C' ? [] : ['AB', unitGroup(record)]),
    completeness === 'A' && training && single && decoder && allocated && 'A-train-1gpu-allocated',
    training && !single && 'train-multi-gpu',
    task === 'inference' && 'inference',
    /embedding|encoder/.test(task) && 'embedding',
    task.startsWith('vision') && 'vision',
    task.startsWith('diffusion') && 'diffusion',
  ];
  return ['all', ...groups.filter(group => group !== false)];
}

const unitGroup = ({ unit_ambiguous: isUnclear }: PublishedRecord): string =>
  isUnclear === true ? 'AB-unit-unclear' : 'AB-unit-clear';
