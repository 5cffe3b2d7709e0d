import { eventOf, tfRecordsOf, wandbLogOf } from '../../unit/history/support';
import type { Dice } from '../dice';
import { json, mutated, word } from './words';

type Files = Readonly<Record<string, string | Uint8Array>>;

const NUMBERS = [0, -1, 1, 0.5, 1e9, 8.6e18, 1e300, 1e-300, Number.NaN, Number.POSITIVE_INFINITY];
const TIMES = ['2024-01-01T00:00:00Z', '1e300', '', '-', '9999999-99-99', '18446744073709551616'];

/** Folders of logs: true to their formats but for numbers, times, names and bytes that no program wrote. */
export function historyFiles(dice: Dice): Files {
  const files = dice.some(1, 4, () => dice.pick(MAKERS)(dice));
  return Object.fromEntries(
    files.flatMap(one => Object.entries(one)).map(([path, text]) => [path, bent(dice, text)]),
  );
}

const MAKERS: readonly ((dice: Dice) => Files)[] = [
  dice => ({
    'out/trainer_state.json': JSON.stringify({
      global_step: number(dice),
      max_steps: number(dice),
      train_batch_size: json(dice),
      log_history: dice.some(0, 6, () => ({
        step: number(dice),
        epoch: number(dice),
        train_runtime: number(dice),
        train_steps_per_second: number(dice),
        [word(dice)]: json(dice),
      })),
    }),
  }),
  dice => ({
    'wandb/run-20240101_000000-abc/files/wandb-summary.json': JSON.stringify({
      _runtime: number(dice),
      _step: number(dice),
      [word(dice)]: json(dice),
    }),
    'wandb/run-20240101_000000-abc/files/wandb-metadata.json': JSON.stringify({
      gpu: word(dice),
      gpu_count: number(dice),
      startedAt: dice.pick(TIMES),
      args: json(dice),
    }),
    'wandb/run-20240101_000000-abc/files/config.yaml': `model: {value: ${word(dice)}}\n`,
    'wandb/run-20240101_000000-abc/run-abc.wandb': wandbLogOf(
      dice.some(0, 5, () => ({ 'gpu.0.memoryAllocatedBytes': number(dice), _runtime: number(dice) })),
    ),
  }),
  dice => ({
    'tb/events.out.tfevents.1700000000.host.1.0': tfRecordsOf(
      dice.some(0, 9, () =>
        eventOf(number(dice), Math.abs(Math.trunc(number(dice))) % 1e6 || 0, { loss: number(dice) }),
      ),
    ),
  }),
  dice => ({
    'lightning/metrics.csv': `epoch,step,${word(dice)}\n${dice.some(0, 9, () => `${number(dice)},${number(dice)},"${word(dice)}`).join('\n')}`,
    'lightning/hparams.yaml': `batch_size: ${number(dice)}\n`,
  }),
  dice => ({
    'mlruns/0/a/meta.yaml': `start_time: ${number(dice)}\nend_time: ${number(dice)}\n`,
    'mlruns/0/a/metrics/loss': dice
      .some(0, 9, () => `${number(dice)} ${number(dice)} ${number(dice)}`)
      .join('\n'),
    'mlruns/0/a/params/model': word(dice),
  }),
  dice => ({
    'swift/logging.jsonl': dice
      .some(0, 9, () =>
        JSON.stringify({
          'memory(GiB)': number(dice),
          'global_step/max_steps': word(dice),
          [word(dice)]: json(dice),
        }),
      )
      .join('\n'),
    'swift/args.json': JSON.stringify(json(dice)),
  }),
  dice => ({
    'sacct.txt': `JobID|JobName|State|TRESUsageInMax|Start|End|AllocTRES\n1|${word(dice)}|COMPLETED|gres/gpumem=${number(dice)}M|${dice.pick(TIMES)}|${dice.pick(TIMES)}|gres/gpu=${number(dice)}\n`,
  }),
];

const number = (dice: Dice): number => dice.pick(NUMBERS);

function bent(dice: Dice, content: string | Uint8Array): string | Uint8Array {
  if (!dice.chance(0.3)) return content;
  if (typeof content === 'string') return mutated(dice, content);
  const bytes = Uint8Array.from(content);
  for (let at = 0; at < 8 && bytes.length > 0; at++) bytes[dice.below(bytes.length)] = dice.below(256);
  return bytes.subarray(0, dice.chance(0.3) ? dice.below(bytes.length + 1) : bytes.length);
}
