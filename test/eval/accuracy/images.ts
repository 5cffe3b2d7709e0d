import type { PublishedRecord } from './publishedRecord';
import type { StatedQuantities } from './stated';

/** `224x224`, `512x512 crop`, `image batch ~1048x640`: width and height where a record of images states them. */
const SIZE = /(\d{2,4})x(\d{2,4})(?! ?(?:\(|max))/;

/** Images of a detector's data set differ: the longest sides that a record names are not a size. */
const VARYING = 'COCO';

export function imageSizeOf({ task, seq_layout: layout }: PublishedRecord): StatedQuantities {
  if (!task.startsWith('vision') || layout === null || layout.startsWith(VARYING)) return {};
  const [, width, height] = SIZE.exec(layout) ?? [];
  return width && height ? { imageSize: [Number(width), Number(height)] } : {};
}
