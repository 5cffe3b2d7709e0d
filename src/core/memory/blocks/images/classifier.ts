import type { Model } from '../../architecture';
import type { Step } from '../../modules';
import type { MemoryRun } from '../../run';
import { LOGITS } from '../../terms';
import { classLoss } from '../loss/crossEntropy';
import type { FeatureMaps } from './layers';

/** The images of a batch; none where the run has none. */
export function imagesOf({ batch: { rows: batch, image } }: MemoryRun): FeatureMaps {
  const { channels, height, width } = image ?? { channels: 0, height: 0, width: 0 };
  return { batch, channels, height, width };
}

/** A network from pixels to classes, and cross entropy on what it gives. */
export function imageClassifier(network: Step): Model {
  return (tape, { inputIds, labels }) => {
    const logits = network(tape, inputIds);
    return tape.during(LOGITS, () => classLoss(tape, logits, labels));
  };
}
