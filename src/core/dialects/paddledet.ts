import { builtIn } from './defined/compile';
import file from './paddledet.yaml';
import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import type { Size } from './shared/vision';

/** The largest image size that batches are resized to; Paddle calls the step BatchRandomResize. */
function imageSize(run: RunReader): Quantity<Size> {
  const key = 'TrainReader.batch_transforms';
  const steps = run.value(key);
  for (const step of Array.isArray(steps) ? (steps as readonly unknown[]) : []) {
    if (typeof step !== 'object' || step === null || !('BatchRandomResize' in step)) continue;
    const settings = step.BatchRandomResize;
    const target =
      typeof settings === 'object' && settings !== null && 'target_size' in settings
        ? settings.target_size
        : null;
    const sides = (Array.isArray(target) ? (target as readonly unknown[]) : [target]).map(Number);
    const largest = Math.max(...sides);
    if (largest > 0) return run.at(key, [largest, largest], 'the largest of the sizes that are drawn');
  }
  const height = run.count('eval_height');
  const width = run.count('eval_width');
  if (height !== null && width !== null) return run.at(['eval_width', 'eval_height'], [width, height]);
  return run.unknown('No BatchRandomResize says the size.');
}

/** PaddleDetection; sources are files of PaddlePaddle/PaddleDetection 666f597. */
export const paddledet: Dialect = builtIn(file, { quantities: { imageSize } });
