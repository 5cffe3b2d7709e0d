import type { Rule } from './rule';
import { numberOf } from './raw';
import { quoted } from './when';

const LOCAL = 'step_scheduler.local_batch_size';
const STAGES = 'distributed.pp_size';

export const automodelPipelineBatch: Rule = {
  id: 'automodel-pipeline-batch',
  severity: 'error',
  summary: 'The local batch has fewer micro-batches than the pipeline has stages.',
  sources: ['NeMo Automodel recipes/llm/train_ft.py L547: pp_batch_size // pp_microbatch_size >= pp_size'],
  dialects: ['nemo-automodel'],
  check(context) {
    const local = numberOf(context, LOCAL);
    const stages = numberOf(context, STAGES);
    const micro = numberOf(context, 'distributed.pipeline.pp_microbatch_size') ?? 1;
    if (local === null || stages === null || stages < 2 || Math.floor(local / micro) >= stages) return [];
    const message =
      `${quoted(context, LOCAL)} makes ${Math.floor(local / micro)} micro-batches of ${micro}, ` +
      `and ${quoted(context, STAGES)} needs at least ${stages}: the recipe fails an assertion.`;
    return [{ at: [LOCAL, STAGES], message }];
  },
};
