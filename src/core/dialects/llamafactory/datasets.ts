import type { DatasetRef } from '../../spec/dataset';
import type { RunReader } from '../engine/runReader';
import { wordsIn } from '../shared/datasets';

/**
 * `dataset` has comma-separated entries of `dataset_info.json` in `dataset_dir` (hparams/data_args.py: data); with
 * `dataset_dir: ONLINE`, hub names.
 */
export function llamafactoryDatasets(run: RunReader): readonly DatasetRef[] {
  const folder = run.word('dataset_dir') ?? 'data';
  // data/template.py, get_template_and_fix_tokenizer: the default is the tokenizer's own.
  const ownTemplate = run.word('template');
  const names = wordsIn(run.value('dataset')).flatMap(words => words.split(','));
  const rows = {
    files: [],
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
