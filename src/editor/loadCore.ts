import { lazily } from '../host/lazily';
import type { LoadCore } from './core';

/** Loads the chunk with core in it. */
export const loadCore: LoadCore = lazily(async () => (await import('./analysisChunk')).core);
