import type { PublishedRecord } from './publishedRecord';
import type { StatedDetails, StatedQuantities } from './stated';

/** Frameworks whose recipes checkpoint by default: torchtune's, `enable_activation_checkpointing: True`. */
const BY_DEFAULT = /^torchtune/i;

/** A record's checkpointing; by default that of the framework's recipes. */
export function checkpointingOf(record: PublishedRecord): StatedQuantities {
  const { gradient_checkpointing: stated, framework, task } = record;
  if (typeof stated === 'boolean') return { gradientCheckpointing: stated };
  if (SOME.test(stated)) return { gradientCheckpointing: true };
  return BY_DEFAULT.test(framework) && task !== 'inference' ? { gradientCheckpointing: true } : {};
}

const SOME = /^(?:full|selective|every|segments|default policy \(SAC)/;

/** Which layers, or which operations' outputs, a record says are kept. */
export function selectionOf({ gradient_checkpointing: stated }: PublishedRecord): StatedDetails {
  if (typeof stated === 'boolean') return {};
  const every = /^every (\d+)(?! blocks)/.exec(stated)?.[1];
  if (every !== undefined) return { selectiveCheckpointing: Number(every) };
  return /^selective|SAC/.test(stated) ? { selectiveCheckpointing: 'operations' } : {};
}

/** `every 2 blocks (segment)`, `segments of 2 every 4 blocks` */
export function segmentsOf({
  gradient_checkpointing: stated,
}: PublishedRecord): StatedDetails['checkpointSegments'] {
  const [, width, stride = width] =
    /^(?:segments of|every) (\d+)(?: every (\d+))? blocks/.exec(String(stated)) ?? [];
  return width === undefined ? undefined : { width: Number(width), stride: Number(stride) };
}
