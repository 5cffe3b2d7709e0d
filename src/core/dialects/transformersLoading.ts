import { attentionWords, DTYPE_KEYS, quantization } from './hfTrainer/rules';
import type { Dialect } from './dialect';
import { count, word } from './engine/readers';
import { deviceMapAt } from './shared/deviceMap';
import { checkpointDtype, loadDtype } from './shared/loading';
import {
  accelerator,
  gpusOfMap,
  lengthKeys,
  lengthOf,
  loadingWriters,
  newTokensOf,
} from './transformersLoading/rules';
import { transformersLoadingHelp } from './transformersLoading/help';

const SECTIONS = ['', 'model.', 'model_kwargs.', 'llm.', 'quantization.'];

const named = (...names: readonly string[]): string[] =>
  names.flatMap(name => SECTIONS.map(section => `${section}${name}`));

const MODELS = named(
  'model_name_or_path',
  'pretrained_model_name_or_path',
  'model_id',
  'model_path',
  'model_name',
  'model.name',
  'model.path',
  'model.id',
  'model',
);

/** Where a map stands that from_pretrained takes. */
const MAPS = named('device_map').map(
  key => `${key}~^(?:auto|balanced|balanced_low_0|sequential|cpu|mps|cuda(?::\\d+)?)$`,
);

/**
 * What inference scripts hand on to from_pretrained: the model, its dtype, a device map with the room on each device
 * (device-map guide; transformers 5.23, modeling_utils.py). Nothing is trained.
 */
export const transformersLoading: Dialect = {
  id: 'transformers-loading',
  title: 'Transformers loading',
  role: 'run',
  framework: { name: 'transformers', version: '5.23.0' },
  loader: 'pyyaml',
  signature: {
    strong: [...MAPS, ...named('max_memory')],
    medium: named('offload_folder', 'offload_state_dict', 'load_in_8bit', 'load_in_4bit'),
    weak: [...MODELS, ...DTYPE_KEYS, ...named('attn_implementation', 'max_new_tokens', 'low_cpu_mem_usage')],
    against: [
      'learning_rate',
      'per_device_train_batch_size',
      'output_dir',
      'adapter',
      'micro_batch_size',
      'training.*',
      'trainer.*',
      'training_args.*',
      'optimizer.*',
      'lora.*',
      'peft.*',
      'train.*',
      'embeddings.*',
    ],
    needs: MAPS,
    least: 5,
  },
  quantities: {
    model: { keys: MODELS, read: word },
    task: run =>
      run.get('seqLen').value === null
        ? run.byCode('load', 'no key says how long texts are: what loading takes, without a pass')
        : run.byCode('infer', 'the model is loaded to generate'),
    method: run => run.none('nothing is trained'),
    microBatchSize: {
      keys: [...named('batch_size'), 'generation.batch_size', 'inference.batch_size'],
      read: count,
      absent: { value: 1, source: 'transformers generation/utils.py: one row where one prompt is given' },
    },
    gradAccum: run => run.none('nothing is trained'),
    effectiveBatch: run => run.none('nothing is trained'),
    seqLen: lengthOf,
    precision: run => {
      const { value } = run.get('loadDtype');
      return value === null
        ? run.unknown('The dtype is that of the checkpoint.')
        : run.derived(value, ['loadDtype'], 'computed in the dtype of the weights');
    },
    precisionRaw: { keys: DTYPE_KEYS, read: word },
    loadDtype: run => loadDtype(run, DTYPE_KEYS),
    quantization,
    optimizer: run => run.none('nothing is trained'),
    gradientCheckpointing: run => run.none('nothing is trained'),
    attention: attentionWords,
    lora: run => run.none('nothing is trained'),
    zeroStage: run => run.none('nothing is trained'),
    fsdp: run => run.none('nothing is trained'),
    offload: run => run.none('the device map says what lies elsewhere'),
    parallel: run => run.none('layers follow one another'),
    devices: gpusOfMap(SECTIONS),
    nodes: run => run.byCode(1, 'one process on one machine'),
    accelerator: accelerator(SECTIONS),
    strategy: run => run.none('one process has all devices'),
  },
  details: {
    checkpointDtype: checkpointDtype(DTYPE_KEYS),
    kvCache: run => run.byDefault(true, 'transformers generation: use_cache is true'),
    logitsToKeep: run => run.byCode(1, 'transformers generation/utils.py: the last token of a prompt'),
    generatedTokens: newTokensOf,
    paddedRows: run => run.byCode(false, 'one prompt at a time is not padded'),
    autocast: run => run.byCode(false, 'generate() does not autocast'),
    deviceMap: deviceMapAt(...SECTIONS),
  },
  writers: loadingWriters,
  help: transformersLoadingHelp(SECTIONS, lengthKeys),
};
