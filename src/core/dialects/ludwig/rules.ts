import type { Quantity } from '../../spec/quantity';
import type { Head, LoraSettings, Method, OffloadSettings, Quantization } from '../../spec/values';
import { number } from '../engine/readers';
import type { RunReader } from '../engine/runReader';

const SCHEMA = 'ludwig/schema/trainer.py';

/** `model_type: llm` has defaults of its own. */
const isLlm = (run: RunReader): boolean => run.word('model_type') === 'llm';

/** A number that the trainer may be left to find (`auto`). */
function orAuto(run: RunReader, key: string, ecd: string, llm: number): Quantity<number> {
  const value = run.value(key);
  if (value === 'auto') return run.unknown(`${key} is auto: Ludwig tries sizes when the run starts.`);
  if (value !== null) return run.at(key, run.count(key));
  return isLlm(run) ? run.byDefault(llm, `${SCHEMA} L612`) : run.unknown(ecd);
}

export const microBatch = (run: RunReader): Quantity<number> =>
  orAuto(
    run,
    'trainer.batch_size',
    'trainer.batch_size is auto by default: Ludwig tries sizes when the run starts.',
    1,
  );

export function gradAccum(run: RunReader): Quantity<number> {
  const key = 'trainer.gradient_accumulation_steps';
  const value = run.value(key);
  if (value !== null && value !== 'auto') return run.at(key, run.count(key));
  if (typeof run.value('trainer.effective_batch_size') === 'number') {
    return run.unknown('It follows from trainer.effective_batch_size and the number of workers.');
  }
  return run.byDefault(1, `${SCHEMA}: auto is 1 without an effective batch size`);
}

export function evalBatch(run: RunReader): Quantity<number> {
  const key = 'trainer.eval_batch_size';
  const value = run.value(key);
  if (value === 'auto') return run.unknown(`${key} is auto: Ludwig tries sizes when the run starts.`);
  if (value !== null) return run.at(key, run.count(key));
  if (isLlm(run)) return run.byDefault(2, `${SCHEMA} L663`);
  return run.unknown(`${key} is not set: as trainer.batch_size.`);
}

/** Encoders of features that name a model of the hub, and the key of LLMs. */
const MODELS = ['base_model', 'input_features[0].encoder.pretrained_model_name_or_path'];

export function model(run: RunReader): Quantity<string> {
  const key = MODELS.find(name => run.has(name));
  if (key !== undefined) return run.at(key, run.word(key));
  const encoder = ['input_features[0].encoder.type', 'input_features[0].encoder'].find(
    name => run.word(name) !== null,
  );
  return encoder === undefined
    ? run.unknown('Encoders and a combiner are put together.')
    : run.at(encoder, run.word(encoder));
}

export function task(run: RunReader): Quantity<string> {
  if (isLlm(run)) return run.derived('sft', ['model_type'], 'a language model on prompts');
  const [input, output] = [run.word('input_features[0].type'), run.word('output_features[0].type')];
  const found = TASKS[`${input ?? ''} ${output ?? ''}`] ?? OUTPUTS[output ?? ''];
  if (found === undefined) return run.unknown('The types of the features do not say it.');
  return run.derived(found, ['input_features', 'output_features'], 'types of the first features');
}

const TASKS: Readonly<Record<string, string>> = {
  'text category': 'text_classification',
  'text binary': 'text_classification',
  'image category': 'image_classification',
  'image binary': 'image_classification',
  'image image': 'semantic_segmentation',
  'text text': 'seq2seq',
  'text sequence': 'token_classification',
};
const OUTPUTS: Readonly<Record<string, string>> = {
  category: 'tabular_classification',
  binary: 'tabular_classification',
  number: 'tabular_regression',
};

export function head(run: RunReader): Quantity<Head> {
  const task = run.get('task').value;
  const found = (
    { text_classification: 'sequence-classification', image_classification: 'image-classification' } as const
  )[task ?? ''];
  return found === undefined
    ? run.unknown('The task says it.')
    : run.derived<Head>(found, ['task'], 'what the task ends in');
}

const ADAPTERS = ['adapter', 'input_features[0].encoder.adapter'];

const adapterOf = (run: RunReader): { readonly key: string; readonly type: string } | null => {
  for (const key of ADAPTERS) {
    const type = run.word(`${key}.type`) ?? run.word(key);
    if (type !== null) return { key, type };
  }
  return null;
};

/** Encoders of features are frozen unless `trainable`. */
export function method(run: RunReader): Quantity<Method> {
  const adapter = adapterOf(run);
  if (adapter) {
    const quantized = run.get('quantization').value !== null;
    return run.at<Method>(adapter.key, quantized ? 'qlora' : 'lora');
  }
  const key = 'input_features[0].encoder.trainable';
  if (!isLlm(run) && run.flag(key) === false) return run.at<Method>(key, 'freeze');
  return run.byDefault<Method>('full', 'ludwig/schema/llms: without an adapter all weights are trained');
}

export function lora(run: RunReader): Quantity<LoraSettings> {
  const adapter = adapterOf(run);
  if (!adapter) return run.none('ludwig/schema/llms/peft.py: no adapter');
  const { key, type } = adapter;
  const rank = run.read(`${key}.r`, number) ?? 8;
  return run.at<LoraSettings>(key, {
    r: rank,
    alpha: run.read(`${key}.alpha`, number) ?? 2 * rank,
    dropout: run.read(`${key}.dropout`, number) ?? 0.05,
    targets: run.words(`${key}.target_modules`),
    modulesToSave: [],
    rslora: run.flag(`${key}.use_rslora`) ?? false,
    dora: run.flag(`${key}.use_dora`) ?? false,
    ...(type !== 'lora' && { method: type }),
  });
}

/** `quantization.bits` of LLMs; the compute dtype is fp16, the type nf4 with double quantisation (schema/llms/quantization.py). */
export function quantization(run: RunReader): Quantity<Quantization> {
  const bits = run.count('quantization.bits');
  if (bits !== 4 && bits !== 8) return run.none('ludwig/schema/llms/quantization.py: not quantised');
  const type = bits === 4 ? (run.word('quantization.bnb_4bit_quant_type') ?? 'nf4') : null;
  const doubleQuant = bits === 4 ? (run.flag('quantization.bnb_4bit_use_double_quant') ?? true) : null;
  return run.at<Quantization>('quantization.bits', {
    bits,
    method: 'bnb',
    type,
    doubleQuant,
    computeDtype: 'fp16',
    storageDtype: null,
  });
}

const STRATEGY = 'backend.trainer.strategy';

const stageOf = (run: RunReader): number | null => run.read(`${STRATEGY}.zero_optimization.stage`, number);

export function zeroStage(run: RunReader): Quantity<0 | 1 | 2 | 3> {
  const stage = stageOf(run);
  const name = run.word(`${STRATEGY}.type`) ?? run.word(STRATEGY);
  if (stage === 0 || stage === 1 || stage === 2 || stage === 3) {
    return run.at(`${STRATEGY}.zero_optimization.stage`, stage);
  }
  if (name === 'deepspeed') {
    return run.byDefault<0 | 1 | 2 | 3>(3, 'ludwig/distributed/deepspeed.py: stage 3 is the default');
  }
  return run.none('ludwig/backend: no DeepSpeed');
}

export function offload(run: RunReader): Quantity<OffloadSettings> {
  const place = (name: string): 'none' | 'cpu' =>
    run.word(`${STRATEGY}.zero_optimization.${name}.device`) === 'cpu' ? 'cpu' : 'none';
  const settings = { optimizer: place('offload_optimizer'), param: place('offload_param') };
  if (settings.optimizer === 'none' && settings.param === 'none') {
    return run.none('ludwig/distributed/deepspeed.py: nothing is offloaded');
  }
  return run.at<OffloadSettings>(`${STRATEGY}.zero_optimization`, settings);
}

export function strategy(run: RunReader): Quantity<string> {
  const stage = stageOf(run);
  const name = run.word(`${STRATEGY}.type`) ?? run.word(STRATEGY);
  if (name === 'deepspeed' && stage !== null) {
    const onHost = run.get('offload').value?.optimizer === 'cpu';
    return run.at(STRATEGY, `zero${stage}${onHost ? ' + cpu optimizer offload' : ''}`);
  }
  return name === null ? run.unknown(`${STRATEGY} is not set.`) : run.at(STRATEGY, name);
}

/** Mixed precision and DeepSpeed’s own settings decide together. */
export function precision(run: RunReader): Quantity<string> {
  const mixed = run.flag('trainer.use_mixed_precision');
  if (mixed !== null) return run.at('trainer.use_mixed_precision', mixed ? 'fp16-mixed' : 'fp32');
  if (run.has(`${STRATEGY}.type`)) return run.unknown('DeepSpeed’s own settings decide it.');
  return run.byDefault('fp32', `${SCHEMA}: use_mixed_precision is False`);
}

export function workers(run: RunReader): Quantity<number | 'auto'> {
  const key = 'backend.trainer.num_workers';
  const count = run.count(key);
  return count === null
    ? run.unknown('Ray takes the GPUs of its cluster; their number is not in the file.')
    : run.at<number | 'auto'>(key, count);
}
