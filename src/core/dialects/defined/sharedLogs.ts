import type { LogLine } from '../../data/forms/line';

/** Lines that several programs print, by the name that a dialect's file has for them. */
export const sharedLogs: Readonly<Record<string, readonly LogLine[]>> = {};
