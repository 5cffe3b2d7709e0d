/** A loss on log-probabilities of whole sequences: two of a sample, or one (KTO). */
export const PREFERENCE_TASKS: ReadonlySet<string> = new Set([
  'dpo',
  'ipo',
  'orpo',
  'simpo',
  'cpo',
  'apo',
  'gdpo',
  'kto',
  'online_dpo',
]);

export function isPreference(task: string | null): boolean {
  return task !== null && PREFERENCE_TASKS.has(task);
}
