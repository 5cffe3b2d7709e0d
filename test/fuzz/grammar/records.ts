import type { Dice } from '../dice';
import { json, key, mutated, number, word } from './words';

export const ID = '20260101-000000-abcdef';

/** A job's record, of which some fields are not what they should be. */
export function recordText(dice: Dice): string {
  const config = { file: word(dice), digest: 'x', run: word(dice), dialect: 'axolotl' };
  const whole: Record<string, unknown> = {
    ...{
      schema: 'headroom-job/1',
      id: ID,
      kind: 'train',
      name: word(dice),
      state: dice.pick(['failed', 'running', 'lost', 'stopped']),
    },
    ...{
      argv: ['python', word(dice)],
      folder: '/nowhere',
      environment: { A: word(dice) },
      secrets: [],
      writes: [],
      handle: null,
    },
    ...{
      place: dice.pick([
        { engine: 'local' },
        { engine: 'ssh', alias: word(dice), folder: null },
        { engine: 'ray', address: word(dice) },
      ]),
    },
    ...{
      gpus: { count: 1, uuids: [], needBytes: null },
      limits: {},
      estimate: null,
      config,
      createdMs: 1,
      startedMs: 1,
      endedMs: 2,
    },
    ...{ message: word(dice), exit: { code: 1, signal: null, reason: word(dice) }, peaks: [] },
  };
  for (const field of dice.some(0, 3, () => dice.pick(Object.keys(whole)))) whole[field] = json(dice);
  if (dice.chance(0.2)) whole[key(dice)] = json(dice);
  const text = JSON.stringify(whole);
  return dice.chance(0.2) ? mutated(dice, text) : text;
}

const LINES = [
  "{'loss': 1.25, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.16}",
  ' 3%|▎         | 30/1000 [01:14<40:45,  2.52s/it]',
  '[2024-08-21 10:19:42] iteration        4/   25000 | elapsed time per iteration (ms): 270125.4 | lm loss: 2.12E+00 |',
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 1 has a total capacity of 24.00 GiB of which 512.00 MiB is free.',
  'Epoch 2/5 469/469 - accuracy: 0.9662 - loss: 0.1177',
  'step 5 loss nan tokens/s 1e400',
  'RuntimeError: CUDA error: out of memory',
];

/** What a program prints, in some of which a stranger had a hand. */
export const logText = (dice: Dice): string =>
  dice
    .some(1, 40, () =>
      dice.pick([
        () => dice.pick(LINES),
        () => mutated(dice, dice.pick(LINES)),
        () =>
          `${dice.pick(LINES)}${dice.pick(['1', ' ', '.', ':', '|', '/', '9.9 ', '[', '1/'])}`.repeat(
            dice.size(2000),
          ),
        () => `loss: ${number(dice)} ${word(dice)}`,
      ])(),
    )
    .join(dice.pick(['\n', '\r', '\r\n', '']));
