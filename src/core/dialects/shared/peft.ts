import type { Quantity } from '../../spec/quantity';
import type { Dtype, LoraSettings, Method, Quantization } from '../../spec/values';
import { number } from '../engine/readers';
import type { RunReader } from '../engine/runReader';

/** A dialect's LoRA keys, and its defaults. */
export interface LoraKeys {
  readonly r: readonly string[];
  readonly alpha: readonly string[];
  readonly dropout: readonly string[];
  readonly targets: readonly string[];
  readonly modulesToSave: readonly string[];
  readonly rslora: readonly string[];
  readonly dora: readonly string[];
  readonly targetParameters?: readonly string[];
  readonly defaults: {
    readonly r: number | null;
    readonly alpha: number | null;
    readonly dropout: number | null;
  };
}

/** Reads LoRA settings; `switches` are the keys that enable LoRA if no setting is stated. */
export function loraSettings(
  run: RunReader,
  keys: LoraKeys,
  switches: readonly string[],
): Quantity<LoraSettings> {
  const first = <T>(names: readonly string[], read: (name: string) => T | null): T | null =>
    names.map(read).find(value => value !== null) ?? null;
  const amount = (names: readonly string[], unstated: number | null): number | null =>
    run.unlessOpen(() => first(names, name => run.read(name, number)) ?? unstated, null);
  const targets = run.unlessOpen(() => first(keys.targets, run.words.bind(run)), 'unknown');
  const parameters = first(keys.targetParameters ?? [], run.words.bind(run));
  return run.at([...keys.r, ...keys.alpha, ...switches], {
    r: amount(keys.r, keys.defaults.r),
    alpha: amount(keys.alpha, keys.defaults.alpha),
    dropout: amount(keys.dropout, keys.defaults.dropout),
    targets: targets?.length === 1 && targets[0] === 'all-linear' ? 'all-linear' : targets,
    modulesToSave: first(keys.modulesToSave, run.words.bind(run)) ?? [],
    rslora: first(keys.rslora, run.flag.bind(run)) ?? false,
    dora: first(keys.dora, run.flag.bind(run)) ?? false,
    ...(parameters && { targetParameters: parameters }),
  });
}

/** bitsandbytes' LLM.int8. */
export const int8: Quantization = {
  bits: 8,
  method: 'bnb',
  type: 'int8',
  doubleQuant: null,
  computeDtype: null,
  storageDtype: null,
};

/** bitsandbytes' 4-bit weights. */
export function fourBit(
  type: string,
  doubleQuant: boolean,
  computeDtype: Dtype | null,
  storageDtype: Dtype | null,
): Quantization {
  return { bits: 4, method: 'bnb', type, doubleQuant, computeDtype, storageDtype };
}

/** What scripts around the trainers call the choice of what is trained. */
const METHOD_KEY = /^(?:peft|tuner|tuning|finetuning|finetune|adapter|train|training)_(?:method|type|mode)$/;

/** The key by which a script of its own chooses the method; null: it has none. */
export const methodKey = (run: RunReader): string | null =>
  run.keys().find(key => METHOD_KEY.test(key) && run.has(key)) ?? null;

/** A method that no one knows is not full training. */
export function methodBy(run: RunReader, key: string): Quantity<Method> {
  const word = run.word(key)?.toLowerCase() ?? '';
  const isFourBit = run.get('quantization').value?.bits === 4;
  if (/q-?lora/.test(word)) return run.at<Method>(key, 'qlora');
  if (word.includes('lora')) return run.at<Method>(key, isFourBit ? 'qlora' : 'lora');
  if (/^(?:full|none|null|sft|all)$/.test(word)) return run.at<Method>(key, 'full');
  const { origin } = run.at(key, word);
  const why = `${key}: ${word} is a method that is not known here.`;
  return { value: null, origin: { kind: 'unresolved', why, ...('at' in origin && { key: origin.at }) } };
}
