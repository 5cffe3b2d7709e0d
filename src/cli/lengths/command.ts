import type { Command } from 'commander';
import { lengths } from '../commands/lengths';

/** Rows that are tokenised where there are more: the 99th percentile is then known to a few rows in a thousand. */
const SAMPLES = 20_000;

/** `headroom lengths` and its options, on a command that takes a target already. */
export function lengthsOptions(command: Command, wholeNumber: (text: string) => number): Command {
  return command
    .description('how long the rows of the training data are, and what that means for the run')
    .argument('<path>', 'a config, or data: jsonl, json, csv, tsv, txt or parquet, or a folder of them')
    .option('--run <name>', 'one run of a file that has several')
    .option(
      '--tokenizer <model>',
      'whose tokens: a folder, a tokenizer.json, or a model of the Hugging Face cache',
    )
    .option('--column <name>', 'the column that holds the text')
    .option('--limit <n>', 'tokens that a row may have, where not those of the config', wholeNumber)
    .option('--samples <n>', 'rows to tokenise of large data, beside the longest', wholeNumber, SAMPLES)
    .option('--all', 'tokenise every row')
    .option('--again', 'count what has been counted before, too')
    .option('--no-keep', 'do not keep the result in .headroom/lengths.jsonl')
    .option('--json', 'print as JSON')
    .action(lengths);
}
