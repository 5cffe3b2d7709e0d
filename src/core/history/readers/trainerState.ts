import { isRecord, numberIn, parsedJson } from '../../text/json';
import { basename, dirname, join } from '../../text/paths';
import type { LogReader } from '../logs';
import { noFacts } from '../logs';
import { configsIn } from '../nearConfigs';
import { Scalars } from '../scalars';

const STATE = 'trainer_state.json';
/** What transformers' Trainer writes with save_metrics. */
const RESULTS = ['train_results.json', 'all_results.json'] as const;

/** transformers' Trainer: `trainer_state.json` (trainer_callback.py TrainerState) and the results next to it. */
export const trainerState: LogReader = {
  async read({ path, names }, files) {
    const own = [STATE, ...RESULTS].filter(name => names.includes(name));
    if (own.length === 0) return [];
    const scalars = new Scalars();
    let isState = false;
    for (const name of own) {
      const state = parsedJson((await files.text(join(path, name))) ?? '');
      if (!isRecord(state)) continue;
      isState ||= Array.isArray(state['log_history']) || 'train_runtime' in state;
      addState(scalars, state);
    }
    if (!isState) return [];
    const run = runOf(path);
    return [
      {
        ...noFacts('trainer-state', run),
        peaks: scalars.peaks(),
        speed: scalars.speed(),
        steps: scalars.steps(),
        configs: [...(await configsIn(path, files)), ...(run === path ? [] : await configsIn(run, files))],
      },
    ];
  },
};

/** A checkpoint belongs to the run in the folder above. */
const runOf = (path: string): string =>
  /^(?:checkpoint|tmp-checkpoint)-\d+$/.test(basename(path)) ? dirname(path) || path : path;

function addState(scalars: Scalars, state: Readonly<Record<string, unknown>>): void {
  const history = state['log_history'];
  for (const entry of Array.isArray(history) ? history : []) if (isRecord(entry)) scalars.addAll(entry);
  if (!Array.isArray(history)) scalars.addAll(state);
  scalars.add('global_step', state['global_step']);
  // ms-swift adds what torch reserved, in GiB.
  const memory = numberIn(state['memory']);
  if (memory !== null) scalars.add('memory(GiB)', memory);
}
