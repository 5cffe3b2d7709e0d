import type { Quantity } from '../../spec/quantity';
import type {
  Dtype,
  FsdpSettings,
  LoraSettings,
  Method,
  OffloadSettings,
  ParallelSettings,
  Quantization,
} from '../../spec/values';
import { number, oneOf } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { dtypeWord } from '../shared/words';

/** The recipe, or what the data are, say what is trained for. */
export function task(run: RunReader): Quantity<string> {
  const recipe = run.word('recipe') ?? '';
  if (recipe.includes('Distillation') || run.has('teacher_model')) {
    return run.derived('distillation', ['recipe', 'teacher_model'], 'a teacher beside the model');
  }
  if (/diffusion/i.test(recipe)) return run.derived('denoising', ['recipe'], recipe);
  const data = run.word('dataset._target_') ?? '';
  if (/nanogpt|megatron|pretrain/i.test(data) || run.pathWords.includes('llm_pretrain')) {
    return run.derived('pretrain', ['dataset._target_'], 'the data are a corpus');
  }
  return run.derived('sft', ['recipe'], 'recipes/llm/train_ft.py fine-tunes');
}

const bits = (run: RunReader): 4 | 8 | null => {
  if (run.flag('quantization.load_in_4bit') === true) return 4;
  return run.flag('quantization.load_in_8bit') === true ? 8 : null;
};

export function method(run: RunReader): Quantity<Method> {
  if (!run.has('peft')) return run.byDefault<Method>('full', 'recipes/llm/train_ft.py: no peft section');
  return run.at<Method>('peft', bits(run) === 4 ? 'qlora' : 'lora');
}

export function quantization(run: RunReader): Quantity<Quantization> {
  const width = bits(run);
  if (width === null) return run.none('Automodel: no quantization section');
  const key = (name: string): string => `quantization.bnb_4bit_${name}`;
  const four = width === 4;
  return run.at([`quantization.load_in_${width}bit`], {
    bits: width,
    method: 'bnb',
    type: four ? (run.word(key('quant_type')) ?? 'nf4') : null,
    doubleQuant: four ? (run.flag(key('use_double_quant')) ?? false) : null,
    computeDtype: four ? run.read(key('compute_dtype'), dtypeWord) : null,
    storageDtype: four ? run.read(key('quant_storage'), dtypeWord) : null,
  });
}

/** components/_peft/lora.py L45-59. */
export function lora(run: RunReader): Quantity<LoraSettings> {
  if (!run.has('peft')) return run.none('recipes/llm/train_ft.py: no peft section');
  const named = run.words('peft.target_modules') ?? [];
  const all = run.flag('peft.match_all_linear') === true || named.length === 0;
  return run.at(['peft.dim', 'peft'], {
    r: run.has('peft.dim') ? run.count('peft.dim') : 8,
    alpha: run.read('peft.alpha', number) ?? 32,
    dropout: run.read('peft.dropout', number) ?? 0,
    targets: all ? 'all-linear' : named.flatMap(name => (name === '*_proj' ? PROJECTIONS : [lastOf(name)])),
    modulesToSave: [],
    rslora: false,
    dora: run.flag('peft.use_dora') ?? false,
  });
}

const lastOf = (name: string): string => name.split('.').at(-1) ?? name;

const PROJECTIONS = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'];

const PACKED = 'packed_sequence.packed_sequence_size';

/** A packed row is as long as the pack; else the class of the data decides. */
export function seqLen(run: RunReader): Quantity<number> {
  const packed = run.has(PACKED) ? run.read(PACKED, number) : null;
  if (packed !== null && packed > 0) return run.at(PACKED, packed);
  const key = ['dataset.seq_length', 'dataset.seq_len', 'dataset.max_seq_length'].find(one => run.has(one));
  return key === undefined
    ? run.unknown('The class of the data decides how long rows are: no key limits them.')
    : run.at(key, run.count(key));
}

export function packing(run: RunReader): Quantity<boolean> {
  if (!run.has(PACKED)) return run.byDefault(false, 'recipes/llm/train_ft.py: packed_sequence_size is 0');
  return run.at(PACKED, (run.read(PACKED, number) ?? 0) > 0);
}

const stated = (run: RunReader): string | undefined =>
  ['model.torch_dtype', 'model.config.torch_dtype'].find(key => run.has(key) && run.word(key) !== 'auto');

/** Parameters are cast to MixedPrecisionPolicy’s dtype (components/distributed/config.py L303-325). */
export function precision(run: RunReader): Quantity<string> {
  if (run.flag('fp8.enabled') === true) return run.at('fp8.enabled', 'fp8');
  const key = stated(run);
  const dtype = key === undefined ? null : run.read(key, dtypeWord);
  if (key !== undefined && dtype === 'bf16') return run.at(key, dtype);
  const policy = 'distributed.mp_policy.param_dtype';
  if (run.has(policy)) return run.at(policy, run.read(policy, dtypeWord));
  return run.byDefault('bf16', 'components/distributed/config.py L303-325: param_dtype is bfloat16');
}

export function loadDtype(run: RunReader): Quantity<Dtype> {
  const key = stated(run);
  return key === undefined
    ? run.unknown('torch_dtype is auto: weights keep the dtype of the checkpoint.')
    : run.at(key, run.read(key, dtypeWord));
}

export function checkpointDtype(run: RunReader): Quantity<boolean> {
  const kept = stated(run) === undefined;
  return run.derived(kept, ['loadDtype'], kept ? 'from_pretrained keeps it' : 'the dtype is set');
}

const CHECKPOINTING = 'distributed.activation_checkpointing';

/** true, full and selective; in the strategy's own section in older files. */
export function checkpointing(run: RunReader): Quantity<boolean> {
  if (!run.has(CHECKPOINTING)) return run.byDefault(false, 'components/distributed/config.py');
  const how = oneOf<boolean>({ true: true, false: false, full: true, selective: true, none: false });
  return run.at(CHECKPOINTING, run.read(CHECKPOINTING, how));
}

export function loss(run: RunReader): Quantity<string> {
  const name = lastOf(run.word('loss_fn._target_') ?? '');
  if (name === '') return run.unknown('loss_fn._target_ is not set.');
  const chunked = name.includes('Chunked') ? 'chunked' : 'standard';
  return run.at('loss_fn._target_', name.includes('FusedLinear') ? 'cut_cross_entropy' : chunked);
}

const degreeOf = (run: RunReader, key: string): number | null => {
  const read = oneOf<null>({ none: null });
  const isWord = typeof run.value(key) === 'string';
  return isWord ? run.read(key, read) : run.has(key) ? run.count(key) : null;
};

export function parallel(run: RunReader): Quantity<ParallelSettings> {
  const at = (name: string): number | null => degreeOf(run, `distributed.${name}_size`);
  return run.at(['distributed.tp_size', 'distributed.cp_size', 'distributed'], {
    tensor: at('tp') ?? 1,
    context: at('cp') ?? 1,
    pipeline: at('pp') ?? 1,
    expert: at('ep') ?? 1,
    dataShard: null,
    dataReplicate: at('dp_replicate'),
  });
}

export function fsdp(run: RunReader): Quantity<FsdpSettings> {
  const strategy = run.word('distributed.strategy') ?? 'fsdp2';
  if (strategy === 'ddp') return run.at<FsdpSettings>('distributed.strategy', null);
  const replicas = run.get('parallel').value?.dataReplicate ?? 1;
  const settings: FsdpSettings = {
    version: 2,
    strategy: replicas > 1 ? 'HYBRID_SHARD' : null,
    offloadParams: run.has('distributed.offload_policy'),
    activationCheckpointing: run.get('gradientCheckpointing').value,
  };
  return run.has('distributed.strategy')
    ? run.at('distributed.strategy', settings)
    : run.byDefault(settings, 'components/distributed/config.py: fsdp2');
}

export function offload(run: RunReader): Quantity<OffloadSettings> {
  const key = 'distributed.offload_policy';
  if (run.has(key)) return run.at(key, { param: 'cpu', optimizer: 'cpu' });
  return run.byDefault(
    { param: 'none', optimizer: 'none' },
    'components/distributed/config.py: offload_policy is None',
  );
}
