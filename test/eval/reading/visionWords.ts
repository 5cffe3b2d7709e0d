/** The expected files' names of tasks, and their canonical names. */
const TASKS: Readonly<Record<string, readonly string[]>> = {
  kd: ['distillation'],
  detect: ['object_detection'],
  detection: ['object_detection'],
  instance_segmentation: ['object_detection', 'segmentation'],
  panoptic_segmentation: ['object_detection', 'segmentation'],
  segment: ['segmentation'],
  classify: ['image_classification'],
  classification: ['image_classification'],
  image_tokenizer: ['autoencoder'],
  vqgan: ['autoencoder'],
  latent_diffusion: ['denoising'],
  diffusion: ['denoising'],
  lora_finetune: ['denoising'],
  full_finetune: ['denoising'],
  image_diffusion: ['denoising'],
  video_diffusion: ['denoising'],
  video_diffusion_finetune: ['denoising'],
};

/** Whether the words are equal, or ours is the canonical word for theirs. */
export function sameTask(expected: unknown, got: unknown): boolean {
  if ((expected ?? null) === (got ?? null)) return true;
  return typeof expected === 'string' && typeof got === 'string' && TASKS[expected]?.includes(got) === true;
}

/**
 * Sizes are expected as in their files: height or width first, all sides that are drawn (the largest takes the
 * memory), or a short side and what the long one is cut to.
 */
export function sameSize(expected: unknown, got: unknown): boolean {
  if (expected === null || got === null) return expected === got;
  const sides = drawn(expected);
  const ours = (got as readonly number[]).toSorted((a, b) => a - b);
  const largest = Math.max(...sides);
  const wanted = sides.length === 2 ? sides.toSorted((a, b) => a - b) : [largest, largest];
  return wanted.every((side, i) => side === ours[i]);
}

function drawn(expected: unknown): readonly number[] {
  if (typeof expected === 'number') return [expected];
  if (Array.isArray(expected)) return (expected as readonly (number | readonly number[])[]).flat();
  const {
    short,
    max,
    train_max: train,
  } = expected as {
    readonly short?: readonly number[] | number;
    readonly max?: number;
    readonly train_max?: number;
  };
  if (train !== undefined) return [train];
  return [Math.max(...[short ?? 0].flat()), max ?? 0];
}
