import type { core } from './analysisChunk';

/** Downloads what the Hub says of a model to the user's cache; `why` is a phrase. */
export type DownloadModel = (
  id: string,
  signal: AbortSignal,
) => Promise<{ readonly ok: true } | { readonly ok: false; readonly why: string }>;

/**
 * Core as the editor uses it: a separate chunk that loads when the first config is opened. Until then the window
 * needs only this type.
 */
export type Core = typeof core;

export type LoadCore = () => Promise<Core>;

/** False: the text cannot be a config of ours. Looks at the beginning of the text only, and is fast. */
export type CouldBeOurs = (text: string, path: string) => Promise<boolean>;
