import { Option } from 'commander';
import type { Command } from 'commander';
import { calibrate } from '../commands/calibrate';
import { profile } from '../commands/profile';

/** Parsers for option values. */
interface Readers {
  readonly wholeNumber: (text: string) => number;
  readonly positiveNumber: (text: string) => number;
}

/** Adds `headroom profile FILE` and its options to a command with target options. */
export function profileOptions(command: Command, { wholeNumber, positiveNumber }: Readers): Command {
  return placeOptions(command, wholeNumber)
    .description('profile a run: run its code without data, probe a GPU, or store a measurement')
    .argument('[file]', 'config file')
    .argument('[command...]', 'after --: the command of your own program, run without data')
    .option('--dry-run', 'dry run on tensors without data: no GPU, no weights, no download (default)')
    .option('--program', "run the file's own program without data, on a GPU that need not be there")
    .option('--yes', 'run the program without asking')
    .option('--steps <n>', 'optimizer steps after which the program is ended', wholeNumber, 2)
    .option('--largest-batch', 'run the program with other batch sizes to find the largest that fits')
    .option('--probe', 'run two real steps on a GPU and find the largest batch size')
    .option('--remote-folder <path>', 'folder of your own code on that machine (default: copy it there)')
    .option('--entry <module:function>', 'your own code: a function that returns the model and its batches')
    .option(
      '--python <path>',
      "Python to use (default: the active environment, or one in the config's folder)",
    )
    .option('--run <name>', 'run to use, if the file has several')
    .addOption(
      new Option('--layers <how>', 'run every layer, or a few and extrapolate')
        .choices(['auto', 'few', 'all'])
        .default('auto'),
    )
    .option('--timeout <seconds>', 'time limit', positiveNumber, 300)
    .option('--again', 'run again, even if it was run before')
    .option('--measured <size>', 'store the memory you saw it use (19.8GB)')
    .addOption(
      new Option('--metric <metric>', 'metric of that amount: from nvidia-smi or torch').choices([
        'device',
        'reserved',
        'allocated',
      ]),
    )
    .option('--batch <n>', "rows per GPU and step (default: the config's)", wholeNumber)
    .option('--length <n>', "tokens per row (default: the config's)", wholeNumber)
    .option('--list', 'list measured and predicted memory')
    .option('--forget', 'delete its measurements')
    .option('--export <file>', 'export all measurements that apply here: JSON Lines, or a table (.csv)')
    .option('--no-keep', "don't store the result in .headroom/measurements.jsonl")
    .option('--user', 'store it for all your workspaces, not only this one')
    .option('--json', 'print as JSON')
    .action(profile);
}

/** Where a probe, a program's dry run or a calibration runs. */
const placeOptions = (command: Command, wholeNumber: Readers['wholeNumber']): Command =>
  command
    .option('--host <name>', 'run it on a host from ~/.ssh/config')
    .option('--slurm [login]', 'run it with Slurm, here or through a login node from ~/.ssh/config')
    .option('--partition <name>', 'partition')
    .option('--ray [address]', 'run it on a Ray cluster (default: RAY_ADDRESS, otherwise port 8265 here)')
    .option('--time <minutes>', 'time limit of the job on a scheduler', wholeNumber)
    .option('--ssh-config <file>', 'SSH config (default: ~/.ssh/config)')
    .option('--queue', 'wait in the queue if no GPU is free');

/** Adds the options of `headroom calibrate`. */
export const calibrateOptions = (command: Command, wholeNumber: Readers['wholeNumber']): Command =>
  placeOptions(command, wholeNumber)
    .description('measure what the GPU reaches in 20 seconds; times are computed with it from then on')
    .option('--user', 'store it for all your workspaces, not only this one')
    .option('--no-keep', "don't store the result in .headroom/measurements.jsonl")
    .option(
      '--python <path>',
      'Python with torch to use (default: the active environment, or one in this folder)',
    )
    .option('--json', 'print as JSON')
    .action(calibrate);
