import { OF_LIBRARY, STRANGERS } from '../dialects/generic/name';
import { silenceOf } from './program/facts';
import { hasTrainer } from './program/ownLoop';
import type { Quantity } from '../spec/quantity';
import type { RunSpec } from '../spec/runSpec';
import type { QuantityName } from '../spec/values';
import { isProgram } from '../text/paths';
import { parsePath } from '../yaml/path';

/** Quantities that a run has only if its program hands them to a library or to its own loop. */
const OF_CODE: readonly QuantityName[] = [
  ...(['seqLen', 'packing', 'imageSize', 'microBatchSize', 'globalBatchSize', 'evalBatchSize'] as const),
  ...(['gradAccum', 'optimizer', 'precision', 'gradientCheckpointing', 'numWorkers'] as const),
];

/**
 * What hands keys on that the code does not name: a section as arguments, a class or a library that is made of a file, a
 * loop over keys. Rows, and arguments of the function around, are no sections.
 */
const UNNAMED = [
  /[(,{]\s{0,20}\*\*\s?(?!(?:kwargs|\w{0,20}(?:batch|inputs?|encod\w{0,10}|tokeni[sz]ed|features?|sample|example|row|item))\b)/,
  /\b(?:setattr|instantiate\w{0,20}|asdict|parse_(?:dict|obj|yaml|json|file|args_into)\w{0,20}|(?<!Dataset\.)from_(?:dict|file|json|yaml)|model_validate|structured|set_defaults|HfArgumentParser|TrlParser|\w{0,20}LightningCLI|merge_from_\w{1,10})\s{0,4}\(/,
  /(?:__dict__|\bvars\([^)\n]{0,40}\)|\b(?:cfg|conf|args|opts?|params|hparams|defaults?)\w{0,30})\.update\(/i,
  /\bgetattr\(\s{0,20}(?:self\.)?(?:cfg|conf|params|hparams|settings)[\w.]{0,60},\s{0,20}[a-z_]/i,
  /\b(?:cfg|conf|args|opts?|params|hparams|settings|options)\w{0,30}(?:\[[^\]\n]{1,60}\])?\.items\(\)/i,
  /\b(?:cfg|conf|params|hparams|settings|options)\w{0,30}\[[a-z_]\w{0,40}\](?!\s{0,4}=(?!=))/i,
] as const;

/** What takes a whole section that is of adapters or of quantization alone. */
const OF_ADAPTERS = /\b\w{0,20}(?:Lora|Peft|BitsAndBytes)\w{0,20}\(\s{0,20}\*\*[\w.[\]"']{1,80}\s{0,20}\)/g;

/** What writes an answer: its arguments are of no training. */
const OF_ANSWERS = /\.generate\([^()\n]{0,300}\)/g;

/** Lines that only tell what is set. */
const TELLS = /^[ \t]{0,80}(?:print|log(?:ger|ging)?\.\w{1,20})\([^\n]{0,400}\)[ \t]{0,8}$/gm;

/** Objects of a config whose keys are arguments of a class that the config names. */
const NAMES_CLASSES = /\b(?:_target_|class_path)\b/;

/** Keys of a run's own files that decide a quantity, by its name. */
const keysOf = ({ dialect, quantities }: RunSpec): ReadonlyMap<QuantityName, string> =>
  new Map(
    STRANGERS.has(dialect) || OF_LIBRARY.has(dialect)
      ? OF_CODE.flatMap(name => {
          const key = keyOf(quantities[name]);
          return key === null ? [] : [[name, key] as const];
        })
      : [],
  );

function keyOf({ value, origin }: Quantity<unknown>): string | null {
  if (value === null || origin.kind !== 'file' || isProgram(origin.at.file)) return null;
  return parsePath(origin.at.path).findLast(part => typeof part === 'string') ?? null;
}

/** True if a run's files state what only its program can set. */
export const hasKeysOfCode = (run: RunSpec): boolean => keysOf(run).size > 0;

/** True if programs train, with a trainer or in a loop of their own. */
export const isTraining = (texts: readonly string[]): boolean =>
  hasTrainer(texts) || texts.some(text => text.includes('.backward('));

/**
 * A run without the values of keys that no program of its own uses. `texts`: all the code that reads the config.
 */
export function withoutUnused(run: RunSpec, config: string, texts: readonly string[]): RunSpec {
  const code = texts
    .join('\n')
    .replaceAll(/#[^\n]*/g, '')
    .replaceAll(TELLS, '')
    .replaceAll(OF_ADAPTERS, '')
    .replaceAll(OF_ANSWERS, '');
  if (NAMES_CLASSES.test(config) || UNNAMED.some(one => one.test(code))) return run;
  // Preparing quantized weights checkpoints them, whatever the key is called.
  const isSet = (name: QuantityName): boolean =>
    name === 'gradientCheckpointing' && !silenceOf(texts, []).checkpointing;
  const unused = [...keysOf(run)].filter(([name, key]) => !code.includes(key) && !isSet(name));
  if (unused.length === 0) return run;
  const unknown = unused.map(([name]) => [name, { ...run.quantities[name], value: null, origin: UNUSED }]);
  return { ...run, quantities: { ...run.quantities, ...(Object.fromEntries(unknown) as object) } };
}

const UNUSED = { kind: 'unresolved', why: 'No program that reads the file uses its key.' } as const;
