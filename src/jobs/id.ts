import { randomInt } from 'node:crypto';

const ID = /^\d{8}-\d{6}-[a-z0-9]{6}$/;

/** Whether a name is a job id: anything else must never become part of a path. */
export const isJobId = (text: string): boolean => ID.test(text);

/** `20261122-071502-a1b2c3`, in UTC: sorts by time and is a valid file name on every system. */
export function newJobId(nowMs: number): string {
  const digits = new Date(nowMs).toISOString().replace(/\D/g, '');
  const chance = randomInt(36 ** 6)
    .toString(36)
    .padStart(6, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8, 14)}-${chance}`;
}
