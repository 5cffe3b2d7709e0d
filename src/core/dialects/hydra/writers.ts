import type { WriterTable } from '../dialect';
import type { RunReader } from '../engine/runReader';
import { lightningWriters } from '../lightningCli/rules';
import { trainerKey } from './rules';
import { refuse, write } from '../shared/writing';

/** What a Trainer's arguments begin with: its section and a dot, or nothing at the root. */
function trainerOf(run: RunReader): string | undefined {
  const key = trainerKey(run, 'devices') ?? trainerKey(run, '_target_');
  return key?.slice(0, key.lastIndexOf('.') + 1);
}

/** How to write quantities in Hydra projects: with the existing key, if it is unambiguous. */
export const hydraWriters: WriterTable = {
  ...lightningWriters('trainer.'),
  gradAccum: (to, run) => {
    const trainer = trainerOf(run);
    return trainer === undefined
      ? refuse('There is no Lightning Trainer that would accumulate.')
      : write(`${trainer}accumulate_grad_batches`, to, [`${trainer}max_epochs`, `${trainer}devices`]);
  },
  precision: (to, run) =>
    trainerOf(run) === undefined
      ? refuse('The project has a loop of its own: its code chooses the precision.')
      : (lightningWriters(trainerOf(run) ?? '').precision?.(to, run) ??
        refuse('There is no such precision.')),
  devices: (to, run) => {
    const trainer = trainerOf(run);
    return trainer === undefined ? refuse('No Trainer counts the GPUs.') : write(`${trainer}devices`, to);
  },
};
