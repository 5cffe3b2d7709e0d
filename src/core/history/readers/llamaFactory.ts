import { isRecord, numberIn, parsedJson, textIn } from '../../text/json';
import { join } from '../../text/paths';
import type { LogReader } from '../logs';
import { noFacts } from '../logs';
import { configsIn } from '../nearConfigs';
import { TimedSteps } from '../scalars';

const LOG = 'trainer_log.jsonl';

/** `1 day, 0:08:23`, `0:02:12` (Python's timedelta) in seconds; null: something else. */
function secondsOf(text: string | null): number | null {
  const found = /^(?:(\d{1,6}) days?, )?(\d{1,2}):(\d\d):(\d\d)$/.exec(text ?? '');
  if (!found) return null;
  const [, days = '0', hours, minutes, seconds] = found;
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
}

/** LLaMA-Factory: `trainer_log.jsonl` (src/llamafactory/train/callbacks.py LogCallback), which is there before a run ends. */
export const llamaFactory: LogReader = {
  async read({ path, names }, files) {
    if (!names.includes(LOG)) return [];
    const timed = new TimedSteps();
    for (const line of ((await files.text(join(path, LOG))) ?? '').split('\n')) {
      const record = line.startsWith('{') ? parsedJson(line) : null;
      if (!isRecord(record)) continue;
      const step = numberIn(record['current_steps']);
      const seconds = secondsOf(textIn(record['elapsed_time']));
      // Other processes log the same steps a little later, and have clocks of their own.
      const isNew = step !== null && step > (timed.lastStep ?? 0);
      if (isNew && seconds !== null) timed.add(step, seconds * 1000);
    }
    if (timed.lastStep === null) return [];
    return [
      {
        ...noFacts('llama-factory', path),
        speed: timed.speed('elapsed_time'),
        steps: timed.lastStep,
        configs: await configsIn(path, files),
      },
    ];
  },
};
