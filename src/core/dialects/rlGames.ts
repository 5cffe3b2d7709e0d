import { builtIn } from './defined/compile';
import file from './rlGames.yaml';
import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import { ampFlag, rawFlag } from './shared/toolkit';

const COMMON = 'rl_games/common/a2c_common.py';

/** `multi_gpu` takes as many as torchrun starts; without it one GPU trains. */
function devices(run: RunReader): Quantity<number | 'auto'> {
  const key = 'params.config.multi_gpu';
  return run.flag(key)
    ? run.unknown('torchrun says how many processes there are.')
    : run.byDefault<number>(1, `${COMMON}: multi_gpu is False`);
}

/** rl_games' configs, those of Isaac Gym and Isaac Lab too; sources are files of Denys88/rl_games 262cf20. */
export const rlGames: Dialect = builtIn(file, {
  quantities: {
    task: {
      read: value => (typeof value === 'string' ? { ok: value.startsWith('a2c') ? 'ppo' : value } : null),
    },
    precision: ampFlag('params.config.mixed_precision', `${COMMON}: mixed_precision is False`),
    precisionRaw: rawFlag('params.config.mixed_precision'),
    accelerator: run => {
      const key = ['params.config.device', 'params.config.device_name'].find(name => run.has(name));
      return key === undefined
        ? run.byDefault('cuda', `${COMMON}: device is cuda:0`)
        : run.at(key, run.word(key)?.replace(/:\d+$/, '') ?? null);
    },
    devices,
  },
});
