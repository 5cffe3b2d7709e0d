import type { PublishedRecord } from './publishedRecord';
import type { StatedQuantities } from './stated';

/** Frameworks whose recipes checkpoint unless told otherwise: torchtune's, `enable_activation_checkpointing: True`. */
const BY_DEFAULT = /^torchtune/i;

/** What a record says about checkpointing; of one that does not, what the framework's recipes do. */
export function checkpointingOf(record: PublishedRecord): StatedQuantities {
  const { gradient_checkpointing: stated, framework, task } = record;
  if (typeof stated === 'boolean') return { gradientCheckpointing: stated };
  return BY_DEFAULT.test(framework) && task !== 'inference' ? { gradientCheckpointing: true } : {};
}
