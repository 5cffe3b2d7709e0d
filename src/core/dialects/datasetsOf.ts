import type { DatasetRef } from '../spec/dataset';
import type { RunSpec } from '../spec/runSpec';
import { Unreadable } from './engine/keyReader';
import { dialectOfRun } from './find';
import { datasetsBy, templateBy } from './shared/datasets';
import { readerOf } from './write';

const ownTemplate = templateBy('chat_template', 'template');

/** The usual keys, for frameworks without their own. */
const usual = datasetsBy(
  ...['train_file', 'train_files', 'train_data', 'train_path', 'dataset_path', 'data_path'].flatMap(path => [
    { path, template: 'chat' as const, ownTemplate },
    ...['data', 'dataset', 'training'].map(section => ({
      path: `${section}.${path}`,
      template: 'chat' as const,
      ownTemplate,
    })),
  ]),
  ...[
    'data.train',
    'data.path',
    'dataset.path',
    'dataset.train',
    'dataset.name',
    'dataset_name',
    'dataset',
  ].map(path => ({ path, template: 'chat' as const, ownTemplate })),
);

/** The training data that a config names; empty if it names none, or if they are only known when it starts. */
export function datasetsOf(run: RunSpec): readonly DatasetRef[] {
  try {
    return (dialectOfRun(run).datasets ?? usual)(readerOf(run));
  } catch (error) {
    if (error instanceof Unreadable) return [];
    throw error;
  }
}
