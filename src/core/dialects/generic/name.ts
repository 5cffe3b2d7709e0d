/** As outputs name a reading by vocabulary. */
export const GENERIC = 'generic';
