import type { DatasetRef } from '../spec/dataset';
import type { RunReader } from './engine/runReader';
import { wordsIn } from './shared/datasets';
import { builtIn } from './defined/compile';
import type { Dialect, DetailKeys } from './dialect';
import file from './llamafactory.yaml';

/**
 * `dataset` has comma-separated entries of `dataset_info.json` in `dataset_dir` (hparams/data_args.py: data); with
 * `dataset_dir: ONLINE`, hub names.
 */
function llamafactoryDatasets(run: RunReader): readonly DatasetRef[] {
  const folder = run.word('dataset_dir') ?? 'data';
  // data/template.py, get_template_and_fix_tokenizer: the default is the tokenizer's own.
  const ownTemplate = run.word('template');
  const names = wordsIn(run.value('dataset')).flatMap(words => words.split(','));
  // data/loader.py, _load_single_dataset: max_samples limits each dataset.
  const most = run.count('max_samples');
  const rows = {
    files: [],
    ...(most === null ? {} : { mostRows: most }),
    template: run.get('task').value === 'pretrain' ? ('none' as const) : ('chat' as const),
    ...(ownTemplate === null ? {} : { ownTemplate }),
    columns: {},
  };
  return names
    .map(name => name.trim())
    .filter(name => name !== '')
    .map(path => ({
      path,
      ...rows,
      ...(folder === 'ONLINE' ? {} : { registry: `${folder.replace(/(?<!\/)\/+$/, '')}/dataset_info.json` }),
    }));
}

/** The share of the GPU under the name of the run's engine: one without a key gets the last. */
const detailKeys: DetailKeys = {
  memoryShare: {
    keys: ['vllm_config.gpu_memory_utilization', 'vllm_gpu_util', 'sglang_mem_fraction'],
    keysOf: run =>
      run.word('infer_backend') === 'sglang'
        ? ['sglang_mem_fraction']
        : ['vllm_config.gpu_memory_utilization', 'vllm_gpu_util'],
    near: ['infer_backend'],
  },
};

/** LLaMA-Factory's YAML; sources are files of hiyouga/LLaMA-Factory ff6d4d1 below src/llamafactory. */
export const llamafactory: Dialect = builtIn(file, { detailKeys, datasets: llamafactoryDatasets });
