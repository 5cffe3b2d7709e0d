import type { Command } from 'commander';
import { lengths } from '../commands/lengths';

/** Rows that are tokenised where there are more: the 99th percentile is then known to a few rows in a thousand. */
const SAMPLES = 20_000;

/** `headroom lengths` and its options, on a command that takes a target already. */
export function lengthsOptions(command: Command, wholeNumber: (text: string) => number): Command {
  return command
    .description('count the tokens of the training data, and show what they mean for the run')
    .argument('<path>', 'config, or data file or folder: jsonl, json, csv, tsv, txt or parquet')
    .option('--run <name>', 'run to use, if the file has several')
    .option(
      '--tokenizer <model>',
      'tokenizer: a folder, a tokenizer.json, or a model in the Hugging Face cache',
    )
    .option('--column <name>', 'text column')
    .option('--limit <n>', "sequence length to compare with (default: the config's)", wholeNumber)
    .option(
      '--samples <n>',
      'rows to tokenize of large data, in addition to the longest',
      wholeNumber,
      SAMPLES,
    )
    .option('--all', 'tokenize every row')
    .option('--again', 'count again, even if the data was counted before')
    .option('--no-keep', "don't store the result in .headroom/lengths.jsonl")
    .option('--json', 'print as JSON')
    .action(lengths);
}
