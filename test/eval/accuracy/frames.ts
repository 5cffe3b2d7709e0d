import type { PublishedRecord } from './publishedRecord';
import type { StatedDetails, StatedQuantities } from './stated';

/** `224x224`, `512x512 crop`, `image batch ~1048x640`: width and height in a record of images. */
const SIZE = /(\d{2,4})x(\d{2,4})(?! ?(?:\(|max))/;

/** Images in a detector's dataset vary: the longest sides in a record are not a size. */
const VARYING = 'COCO';

export function imageSizeOf({ task, seq_layout: layout }: PublishedRecord): StatedQuantities {
  if (!task.startsWith('vision') || layout === null || layout.startsWith(VARYING)) return {};
  const [, width, height] = SIZE.exec(layout) ?? [];
  return width && height ? { imageSize: [Number(width), Number(height)] } : {};
}

/** `49 frames x 480 x 720`, `49x512x768 video`, `81x768x1360`: frames, height, width. */
const VIDEO = /(\d+)(?: frames)? ?x ?(\d+) ?x ?(\d+)/;
/** `256x256 images` */
const IMAGE = /(\d+) ?x ?(\d+) images/;

/** The size of a frame or image in a layout. */
export function frameSize({ task, seq_layout: layout }: PublishedRecord): StatedQuantities {
  if (!task.startsWith('diffusion')) return {};
  const video = VIDEO.exec(layout ?? '');
  if (video) return { imageSize: [Number(video[3]), Number(video[2])] };
  const image = IMAGE.exec(layout ?? '');
  return image ? { imageSize: [Number(image[1]), Number(image[2])] } : {};
}

/** The number of frames, and whether latents and texts were encoded beforehand. */
export function videoIn({ task, seq_layout: layout, metric, assumptions }: PublishedRecord): StatedDetails {
  if (!task.startsWith('diffusion')) return {};
  const frames = VIDEO.exec(layout ?? '')?.[1];
  const around = [layout, metric, ...(assumptions ?? [])].join(' ');
  return {
    ...(frames !== undefined && { frames: Number(frames) }),
    precomputed: /precomputed|cached|not resident/.test(around),
  };
}
