/** The id of a reading by vocabulary in outputs. */
export const GENERIC = 'generic';

/** Readings of programs of one's own: a framework's loop is the framework's. */
export const STRANGERS: ReadonlySet<string> = new Set([GENERIC, 'hydra']);

/** Configs whose keys are the arguments of a library that people's own programs call. */
export const OF_LIBRARY: ReadonlySet<string> = new Set(['hf-trainer', 'hf-trl']);
