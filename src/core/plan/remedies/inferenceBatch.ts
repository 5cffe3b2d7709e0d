import { followsRule } from '../batch';
import { isServed } from '../serving';
import { scalarsOf } from '../../spec/scalarKeys';
import type { RunSpec } from '../../spec/runSpec';
import type { Change } from '../../spec/change';
import type { Remedy, RemedyContext, RemedyOption } from '../remedy';
import { template } from '../../text/say';

/** More rows per pass than any real pipeline uses. */
const MOST = 4096;

/** Rows per pass without training: the output does not depend on it. */
export const inferenceBatch: Remedy = {
  id: 'inference-batch',
  label: template('the batch size'),
  sources: [
    'embedding-batch guide: "Increase until GPU memory saturates"; OOM errors: decrease batch_size',
    'sentence-transformers docs, encode(): batch_size changes speed, not embeddings',
  ],
  less: context => {
    const now = rowsOf(context);
    const sizes = [now / 2, now / 4, now / 8, now / 16, now / 32].map(Math.floor).filter(size => size >= 1);
    return [...new Set(sizes)]
      .filter(size => followsRule(size, context.batchRule))
      .map((to, i) => ({
        changes: changesTo(context.run, now, to),
        sizes: [to / now],
        price: { time: 1.05 ** (i + 1), speed: context.say('slightly slower (more passes)'), quality: null },
      }));
  },
  more: context => {
    const now = rowsOf(context);
    const options: RemedyOption[] = [];
    for (let to = now + Math.ceil(now / 2); now > 0 && to <= MOST; to += Math.ceil(now / 2)) {
      if (!followsRule(to, context.batchRule)) continue;
      const price = {
        time: 1 - 0.05 * Math.log2(to / now),
        speed: context.say('slightly faster (fewer passes)'),
        quality: null,
      };
      options.push({
        changes: changesTo(context.run, now, to),
        sizes: [to / now],
        price: { ...price, time: Math.max(price.time, 0.5) },
      });
      if (options.length === MOST_OPTIONS) break;
    }
    return options;
  },
};

const MOST_OPTIONS = 24;

/** 0 for training, for an engine, or if unknown. */
function rowsOf({ run }: RemedyContext): number {
  const { task, microBatchSize } = run.quantities;
  const infers = task.value === 'embed' || task.value === 'infer';
  return infers && !isServed(run) ? (microBatchSize.value ?? 0) : 0;
}

/** Includes the key that has to state the same number (importer of the embedding-batch guide). */
function changesTo(run: RunSpec, now: number, to: number): readonly Change[] {
  const same = scalarsOf(run).find(({ name, value }) => name === 'embedding_batch_size' && value === now);
  return [{ quantity: 'microBatchSize', to }, ...(same ? [{ key: same.path, to }] : [])];
}
