import { builtIn } from './defined/compile';
import file from './openRlhf.yaml';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import { datasetsBy, templateBy } from './shared/datasets';

/** openrlhf/datasets/sft_dataset.py: without apply_chat_template, a separate text surrounds the prompt. */
const promptOf = (run: RunReader, section: string): string | null =>
  run.flag(`${section}apply_chat_template`) === true
    ? templateBy(`${section}tokenizer_chat_template`)(run)
    : 'input_template';

/**
 * OpenRLHF has no config files: its command-line arguments are the config, with dots since 0.10 and with
 * underscores before. Sources are files of OpenRLHF/OpenRLHF 3c3be62 (0.11.0).
 */
export const openRlhf: Dialect = builtIn(file, {
  datasets: datasetsBy(
    {
      path: 'data.dataset',
      template: 'chat',
      ownTemplate: run => promptOf(run, 'data.'),
      columns: { prompt: 'data.input_key', completion: 'data.output_key' },
    },
    {
      path: 'dataset',
      template: 'chat',
      ownTemplate: run => promptOf(run, ''),
      columns: { prompt: 'input_key', completion: 'output_key' },
    },
  ),
});
