import type { DatasetRef } from '../../spec/dataset';
import type { RunReader } from '../engine/runReader';
import { wordsIn } from '../shared/datasets';

/** `dataset`: paths or hub names, with a prefix for the hub and `#n` for the number of rows. */
export function msSwiftDatasets(run: RunReader): readonly DatasetRef[] {
  // swift/llm/argument/base_args/template_args.py: template_backend is swift, whose templates are code.
  const own =
    run.word('template_backend') === 'jinja' ? {} : { ownTemplate: run.word('template') ?? 'swift' };
  return wordsIn(run.value('dataset'))
    .flatMap(words => words.split(/[,\s]+/))
    .filter(word => word !== '')
    .map(word => ({
      path: word
        .replace(/#\d+$/, '')
        .replace(/^(?:HF|MS)::/, '')
        .replace(/:[\w,]+$/, ''),
      files: [],
      template: 'chat' as const,
      ...own,
      columns: {},
    }));
}
