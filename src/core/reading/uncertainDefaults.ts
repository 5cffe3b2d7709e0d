import { programs } from '../dialects/find';
import { isImported, importsIn } from '../dialects/command/imported';
import type { Silence } from '../dialects/engine/compose';
import { OF_LIBRARY, STRANGERS } from '../dialects/generic/name';
import { comparesAnswers, hasTrainer, trainsItself } from './program/ownLoop';
import { silenceOf } from './program/facts';
import type { Quantity } from '../spec/quantity';
import type { RunSpec } from '../spec/runSpec';
import type { QuantityName } from '../spec/values';

/** Quantities that a program may set if its code mentions a topic. */
const TOPICS: readonly (readonly [topic: keyof Silence, names: readonly QuantityName[]])[] = [
  ['adapters', ['method', 'lora', 'quantization']],
  ['sharding', ['zeroStage', 'fsdp', 'offload', 'parallel']],
  ['checkpointing', ['gradientCheckpointing']],
  ['accumulation', ['gradAccum']],
];

/** Defaults of Transformers' Trainer, which your own loop does not have. */
const OF_TRAINER: readonly QuantityName[] = [
  ...(['optimizer', 'gradAccum', 'gradientCheckpointing'] as const),
  ...(['evalBatchSize', 'seqLen', 'packing'] as const),
];

/**
 * Marks defaults and assumed values as unknown where the code that reads the config may set them. `texts`: the programs
 * that read it, and what they import.
 */
export function withUncertainDefaults(run: RunSpec, config: string, texts: readonly string[]): RunSpec {
  if (run.role !== 'run' || texts.length === 0 || !isOfOwnProgram(run.dialect, texts)) return run;
  const silent = silenceOf(texts, [], config);
  const open = new Set(TOPICS.flatMap(([topic, names]) => (silent[topic] ? [] : names)));
  if (!STRANGERS.has(run.dialect) && trainsItself(texts)) for (const name of OF_TRAINER) open.add(name);
  if (SETS_PRECISION.test(codeIn(texts)) && !SETS_PRECISION.test(config)) open.add('precision');
  if (usesMember(run.dialect, texts)) for (const name of OF_MEMBERS) open.add(name);
  const uncertain = [...open].filter(name => isUsual(run.quantities[name]));
  uncertain.push(...contradicted(run, config, texts));
  if (uncertain.length === 0) return run;
  const unknown = uncertain.map(name => [name, { ...run.quantities[name], value: null, origin: OPEN }]);
  return { ...run, quantities: { ...run.quantities, ...(Object.fromEntries(unknown) as object) } };
}

const codeIn = (texts: readonly string[]): string => texts.join('\n').replaceAll(/#[^\n]*/g, '');

/** The Trainer's arguments for precision. */
const SETS_PRECISION = /\b(?:bf16|fp16)\b/;

/** Defaults that a library on top of Transformers has of its own: TRL's arguments switch bf16 and checkpointing on. */
const OF_MEMBERS: readonly QuantityName[] = ['precision', 'gradientCheckpointing'];

/** True if the program takes the arguments of a library on top of the general one, which the file's keys are of. */
const usesMember = (general: string, texts: readonly string[]): boolean =>
  programs.some(
    ({ family, program: { module } }) =>
      family === general && module !== undefined && isImported(module, texts.flatMap(importsIn)),
  ) && !/\bTrainingArguments\s{0,4}\(/.test(codeIn(texts));

const isQuantized = (texts: readonly string[], config: string): boolean =>
  /\bload_in_4bit\s{0,4}=\s{0,4}True\b/.test(codeIn(texts)) && !/4_?-?bit|quantiz|qlora/i.test(config);

const OPEN = { kind: 'unresolved', why: 'No key says it, and the program may set it.' } as const;

/** What the config states or tells, and its programs decide otherwise, or may. */
function contradicted(run: RunSpec, config: string, texts: readonly string[]): readonly QuantityName[] {
  const { method, task } = run.quantities;
  const found: QuantityName[] = [];
  // The file asks for LoRA, and the program loads the weights in 4 bits whatever the file says.
  if (method.value === 'lora' && isQuantized(texts, config)) found.push('method');
  const isGuessed = task.value === 'sft' && task.origin.kind === 'derived';
  if (isGuessed && comparesAnswers(texts)) found.push('task');
  return found;
}

/** True if your own program reads the config: the framework that the keys look like is not imported. */
function isOfOwnProgram(dialect: string, texts: readonly string[]): boolean {
  if (STRANGERS.has(dialect) || OF_LIBRARY.has(dialect)) return true;
  const module = programs.find(one => one.dialect === dialect)?.program.module;
  return (
    module !== undefined &&
    (trainsItself(texts) || hasTrainer(texts)) &&
    !isImported(module, texts.flatMap(importsIn))
  );
}

/** True for a default, and for a value that is assumed because no key states it. */
const isUsual = ({ origin }: Quantity<unknown>): boolean =>
  origin.kind === 'default' || (origin.kind === 'derived' && origin.formula.startsWith('assumed: '));
