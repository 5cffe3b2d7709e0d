import type { core } from './analysisChunk';

/**
 * Core as the editor uses it. The code behind it is a chunk of its own, loaded when the first config of ours is seen;
 * all that the window needs before that is this type.
 */
export type Core = typeof core;

export type LoadCore = () => Promise<Core>;

/** False: the text cannot be a config of ours. Looks at the text only, and is fast. */
export type CouldBeOurs = (text: string) => Promise<boolean>;
