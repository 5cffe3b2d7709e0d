import type { Dice } from '../dice';
import { json, mutated, number, word } from './words';

const NAMES = ['a', 'b', 'args', 'model', 'trainer', '__proto__', 'constructor', 'SFTTrainer', 'self'];
const CALLS = [
  ...[
    'SFTTrainer',
    'SFTConfig',
    'LoraConfig',
    'BitsAndBytesConfig',
    'TrainingArguments',
    'Trainer',
    'LLM',
    'dict',
  ],
  ...[
    'AutoModelForCausalLM.from_pretrained',
    'FastLanguageModel.from_pretrained',
    'get_peft_model',
    'a',
    'int',
  ],
];
const ARGUMENTS = [
  ...[
    'model',
    'args',
    'peft_config',
    'quantization_config',
    'per_device_train_batch_size',
    'max_length',
    'bf16',
  ],
  ...['r', 'lora_alpha', 'target_modules', 'load_in_4bit', 'dtype', 'device_map', '__proto__'],
];
const IMPORTS = [
  ...[
    'from trl import SFTTrainer, SFTConfig',
    'from transformers import *',
    'from vllm import LLM',
    'import torch as t',
  ],
  ...[
    'from peft import LoraConfig, get_peft_model',
    'from unsloth import FastLanguageModel',
    'from . import (a, b as c',
  ],
];

/** A Python program by its grammar: names that grow, calls in calls, helpers that call themselves, quotes that stay open. */
export function pythonText(dice: Dice): string {
  const lines = [...dice.some(1, 4, () => dice.pick(IMPORTS)), ...dice.some(1, 14, () => statement(dice, 0))];
  const text = `${lines.join('\n')}\nSFTTrainer(${args(dice, 2)}).train()\n`;
  return dice.chance(0.3) ? mutated(dice, text) : text;
}

/** A notebook with such a program, or what looks like one. */
export function notebookText(dice: Dice): string {
  const cell = () => ({
    cell_type: dice.pick(['code', 'code', 'markdown', word(dice)]),
    source: dice.chance(0.7)
      ? pythonText(dice).split(/(?<=\n)/)
      : dice.chance(0.5)
        ? `!pip install trl==${number(dice)}\n${pythonText(dice)}`
        : json(dice),
    outputs: [json(dice)],
  });
  const text = JSON.stringify({ cells: dice.some(0, 4, cell), metadata: json(dice) }, null, dice.below(3));
  return dice.chance(0.3) ? mutated(dice, text) : text;
}

function statement(dice: Dice, depth: number): string {
  const indent = '    '.repeat(depth);
  const name = dice.pick(NAMES);
  const inner = (): string => (depth > 3 ? `${indent}    pass` : statement(dice, depth + 1));
  const made = dice.pick([
    () => `${name} = ${value(dice, 2)}`,
    () => `${name} += ${name}`,
    () => `${name}, ${dice.pick(NAMES)} = ${value(dice, 2)}`,
    () => `${name}.${dice.pick(ARGUMENTS)} = ${value(dice, 1)}`,
    () => `${name}["${word(dice)}"] = ${value(dice, 1)}`,
    () => `if ${value(dice, 1)}:\n${inner()}\n${indent}else:\n${inner()}`,
    () => `for ${name} in ${value(dice, 1)}:\n${inner()}`,
    () =>
      `def ${name}(${dice.pick(NAMES)}, ${dice.pick(NAMES)}=${value(dice, 1)}):\n${inner()}\n${indent}    return ${value(dice, 1)}`,
    () => `class ${name}(${dice.pick(NAMES)}):\n${inner()}`,
    () => `${name} = ${'('.repeat(dice.size(3000))}${number(dice)}`,
    () => `${name} = "${word(dice)}" * ${number(dice)} ** ${number(dice)}`,
    () => `%${word(dice)}`,
    () => `${name}.train(${args(dice, 1)})`,
  ]);
  return indent + made();
}

const args = (dice: Dice, depth: number): string =>
  dice
    .some(0, 6, () => `${dice.pick(ARGUMENTS)}${dice.pick(['=', ' = ', '=\n'])}${value(dice, depth)}`)
    .join(dice.pick([', ', ',\n    ', ',']));

function value(dice: Dice, depth: number): string {
  const inner = (): string => (depth > 0 ? value(dice, depth - 1) : number(dice));
  return dice.pick([
    () => number(dice),
    () => JSON.stringify(word(dice)),
    () => `f'{${dice.pick(NAMES)}}${word(dice)}'`,
    () => dice.pick(NAMES),
    () => dice.pick(['True', 'None', 'torch.bfloat16', 'torch.cuda.is_available()', '"', "'''"]),
    () => `${dice.pick(CALLS)}(${args(dice, depth - 1)})`,
    () => `[${inner()}, ${inner()}]`,
    () => `{"${dice.pick(ARGUMENTS)}": ${inner()}, **${dice.pick(NAMES)}}`,
    () => `${inner()} ${dice.pick(['+', '*', '**', '//', 'and', 'if', '%'])} ${inner()}`,
    () => `${dice.pick(NAMES)}[${inner()}].${dice.pick(ARGUMENTS)}`,
    () => `lambda ${dice.pick(NAMES)}: ${inner()}`,
  ])();
}
