import type { Asker } from './asker';

/** What is supposed of the images that a model with a vision tower sees. */
export function picturesIn(asker: Asker): string {
  const pixels = asker.detail('picturePixels');
  return pixels === null
    ? 'what the vision tower keeps of images is not counted'
    : `an image in each row, of at most ${pixels} pixels`;
}
