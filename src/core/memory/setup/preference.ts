/** Two sequences a sample, and a loss on their log-probabilities. */
export const PREFERENCE_TASKS: ReadonlySet<string> = new Set([
  'dpo',
  'ipo',
  'orpo',
  'simpo',
  'cpo',
  'apo',
  'gdpo',
]);

export function isPreference(task: string | null): boolean {
  return task !== null && PREFERENCE_TASKS.has(task);
}
