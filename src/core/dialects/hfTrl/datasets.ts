import type { DatasetRef } from '../../spec/dataset';
import type { RunReader } from '../engine/runReader';
import { datasetsBy, templateBy } from '../shared/datasets';

/** sft_config.py: chat_template_path; the alignment handbook has a template text. */
const ownTemplate = templateBy('chat_template_path', 'chat_template');

const named = datasetsBy(
  // scripts/utils.py: DatasetMixtureConfig has `datasets`, each with a path and data_files.
  { in: 'datasets', path: 'path', files: 'data_files', template: 'chat', ownTemplate },
  { in: 'dataset_mixture.datasets', path: 'id', template: 'chat', ownTemplate },
  { path: 'dataset_mixer', template: 'chat', ownTemplate },
  { path: 'dataset_name', template: 'chat', ownTemplate },
  { path: 'dataset_path', template: 'chat', ownTemplate },
  { path: 'train_file', template: 'chat', ownTemplate },
);

/** Text rows come from `dataset_text_field` (sft_config.py); message rows are recognized by their columns. */
export function hfTrlDatasets(run: RunReader): readonly DatasetRef[] {
  const refs = named(run);
  const text = run.word('dataset_text_field');
  return text === null || text === 'text' ? refs : refs.map(ref => ({ ...ref, columns: { text } }));
}
