import type { ProgressState } from '../core/output/progress/progress';
import type { JobView } from '../jobs/jobs';
import { placeName } from '../jobs/placeName';
import { shareOf, STATE_WORDS, stepText } from './jobText';

/** The parts of a job that was spread as its card has them: `3/16`, where, and how far. */
export function partCards(whole: JobView, parts: readonly JobView[]) {
  return parts.map(part => {
    const { id, name, place, gpus, state } = part.record;
    const uuid = gpus.uuids[0];
    const on = uuid === undefined ? placeName(place) : `${placeName(place)} · ${uuid.slice(0, 12)}`;
    const progress = toldBy(whole, part);
    return {
      id,
      name: name.split(' ').at(-1) ?? name,
      on,
      state,
      words: state === 'running' ? (stepText(progress) ?? STATE_WORDS[state]) : STATE_WORDS[state],
      share: state === 'succeeded' ? 1 : shareOf(progress),
    };
  });
}

/** What the whole says of a part belongs to the sum that is shown above it; the part itself is asked less often. */
function toldBy(whole: JobView, { record, progress }: JobView): ProgressState | null {
  const [, number] = / (\d+)\/\d+$/.exec(record.name) ?? [];
  const told = number === undefined ? null : (whole.parts[Number(number) - 1] ?? null);
  if (told === null) return progress;
  return { step: told.rows, ...(told.rowsTotal !== null && { totalSteps: told.rowsTotal }) };
}
