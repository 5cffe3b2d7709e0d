/** The id of a reading by vocabulary in outputs. */
export const GENERIC = 'generic';
