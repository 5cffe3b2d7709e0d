import type { Rule } from './rule';
import { numberOf } from './raw';
import { quoted } from './when';

const MINI = 'params.config.minibatch_size';
const ACTORS = 'params.config.num_actors';
const HORIZON = 'params.config.horizon_length';

export const rlGamesMinibatch: Rule = {
  id: 'rl-games-minibatch',
  severity: 'error',
  summary: 'The minibatch does not divide what the actors collect.',
  sources: ['rl_games/common/a2c_common.py: assert(self.batch_size % self.minibatch_size == 0)'],
  dialects: ['rl-games'],
  check(context) {
    const mini = numberOf(context, MINI);
    const actors = numberOf(context, ACTORS);
    const horizon = numberOf(context, HORIZON);
    if (mini === null || actors === null || horizon === null || mini < 1) return [];
    if ((actors * horizon) % mini === 0) return [];
    const message =
      `${quoted(context, MINI)} must divide ${quoted(context, ACTORS)} × ${quoted(context, HORIZON)} = ${actors * horizon}: ` +
      'rl_games fails an assertion. Use a divisor of that.';
    return [{ at: [MINI], message }];
  },
};
