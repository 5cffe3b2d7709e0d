import type { MemoryRun } from '../../run';

/** How latents are cut into tokens. */
export interface Patches {
  /** Tokens of a row. */
  readonly tokens: number;
  /** Elements of a token's patch. */
  readonly elements: number;
}

/** Patches of `side` × `side` latents of so many frames each; frames of what is not a video: one. */
export function latentPatches({ batch: { image } }: MemoryRun, side: number, frames = 1): Patches {
  if (image === null) return { tokens: 0, elements: 0 };
  const { channels, height, width } = image;
  const depth = Math.ceil((image.frames ?? 1) / frames);
  const tokens = depth * Math.floor(height / side) * Math.floor(width / side);
  return { tokens, elements: channels * side * side * frames };
}
