import { Option } from 'commander';
import type { Command } from 'commander';
import { profile } from '../commands/profile';

/** What the options of the command line make of words. */
interface Readers {
  readonly wholeNumber: (text: string) => number;
  readonly positiveNumber: (text: string) => number;
}

/** `headroom profile FILE` and its options, on a command that takes a target already. */
export function profileOptions(command: Command, { wholeNumber, positiveNumber }: Readers): Command {
  return command
    .description(
      'what a run takes, found out instead of computed: its own code without data, or what was measured',
    )
    .argument('<file>', 'a config')
    .option('--dry-run', 'run its code on tensors without data: no GPU, no weights, no download (default)')
    .option('--probe', 'two real steps on a GPU, here or elsewhere, and the largest batch it takes')
    .option('--host <name>', 'the probe on a host of ~/.ssh/config')
    .option('--remote-folder <path>', 'where your own code lies there; else it is copied')
    .option('--slurm [login]', 'the probe by Slurm, here or through a login node of ~/.ssh/config')
    .option('--partition <name>', 'which of its partitions')
    .option('--ray [address]', 'the probe by a Ray cluster (default: RAY_ADDRESS, else port 8265 here)')
    .option('--time <minutes>', 'longest time a scheduler gives the probe', wholeNumber)
    .option('--ssh-config <file>', 'the SSH config, where it is another than ~/.ssh/config')
    .option('--queue', 'let the probe wait where no GPU is free now')
    .option('--entry <module:function>', 'your own code: a function that returns the model and its batches')
    .option('--python <path>', 'the Python to use; else the active environment, or one beside the config')
    .option('--run <name>', 'one run of a file that has several')
    .addOption(
      new Option('--layers <how>', 'run every layer, or few and go on from there')
        .choices(['auto', 'few', 'all'])
        .default('auto'),
    )
    .option('--timeout <seconds>', 'give up after so long', positiveNumber, 300)
    .option('--again', 'run what has been run before, too')
    .option('--measured <size>', 'keep what you have seen it take (19.8GB)')
    .addOption(
      new Option('--metric <metric>', 'what that amount is: of nvidia-smi, or of torch').choices([
        'device',
        'reserved',
        'allocated',
      ]),
    )
    .option('--batch <n>', 'rows per GPU and step, where not those of the config', wholeNumber)
    .option('--length <n>', 'tokens per row, where not those of the config', wholeNumber)
    .option('--list', 'what was measured of it, beside what was predicted')
    .option('--forget', 'forget what was measured of it')
    .option('--export <file>', 'write all measurements that count here: JSON lines, or a table (.csv)')
    .option('--no-keep', 'do not keep the result in .headroom/measurements.jsonl')
    .option('--user', 'keep it for all workspaces of yours, not for this one')
    .option('--json', 'print as JSON')
    .action(profile);
}
