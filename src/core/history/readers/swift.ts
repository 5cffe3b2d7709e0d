import { join } from '../../text/paths';
import { isRecord, parsedJson, textIn } from '../../text/json';
import type { LogReader } from '../logs';
import { noFacts } from '../logs';
import { configsIn } from '../nearConfigs';
import { Scalars } from '../scalars';

const LOG = 'logging.jsonl';
/** Keys of ms-swift's lines that others' logs of this name do not have. */
const OWN = ['global_step/max_steps', 'train_speed(iter/s)', 'train_speed(s/it)', 'memory(GiB)'] as const;

/** ms-swift: `logging.jsonl` and `args.json` (swift/trainers/mixin.py, callbacks). */
export const swift: LogReader = {
  async read({ path, names }, files) {
    if (!names.includes(LOG)) return [];
    const scalars = new Scalars();
    let isOwn = false;
    for (const line of ((await files.text(join(path, LOG))) ?? '').split('\n')) {
      const record = line.startsWith('{') ? parsedJson(line) : null;
      if (!isRecord(record)) continue;
      isOwn ||= OWN.some(key => key in record);
      scalars.addAll(record);
      scalars.add(
        'global_step',
        Number(textIn(record['global_step/max_steps'])?.split('/')[0] ?? Number.NaN),
      );
    }
    if (!isOwn) return [];
    return [
      {
        ...noFacts('ms-swift', path),
        peaks: scalars.peaks(),
        speed: scalars.speed(),
        steps: scalars.steps(),
        configs: await configsIn(path, files),
      },
    ];
  },
};
