import { checkCase } from './cases';
import type { Case } from './cases';

const rlGames = (minibatch: number): string => `params:
  algo:
    name: a2c_continuous
  model:
    name: continuous_a2c_logstd
  network:
    name: actor_critic
    mlp:
      units: [256, 128]
  config:
    num_actors: 64
    horizon_length: 16
    minibatch_size: ${minibatch}
`;

const slowfast = (batch: number): string => `TRAIN:
  BATCH_SIZE: ${batch}
DATA:
  NUM_FRAMES: 32
SLOWFAST:
  ALPHA: 4
NUM_GPUS: 8
NUM_SHARDS: 1
`;

const cases: readonly Case[] = [
  {
    rule: 'rl-games-minibatch',
    at: 'params.config.minibatch_size',
    fires: rlGames(500),
    silent: rlGames(512),
    says: /= 1024/,
  },
  { rule: 'slowfast-batch', at: 'TRAIN.BATCH_SIZE', fires: slowfast(60), silent: slowfast(64) },
];

describe('rules about research frameworks', () => {
  for (const one of cases) checkCase(one);
});
