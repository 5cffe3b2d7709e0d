import type { WriterTable, Written } from '../dialect';

const refuse = (why: string): Written => ({ ok: false, why });

/** What stands under other keys than a row's first. */
export const speechbrainWriters: WriterTable = {
  microBatchSize: (to, run) =>
    run.flag('dynamic_batching')
      ? refuse('Batches are dynamic: max_batch_length decides, in the recipe’s own unit.')
      : { ok: true, writes: [{ key: 'batch_size', value: to }] },
  precision: to =>
    /^(?:fp32|(?:fp16|bf16)(?:-mixed)?)$/.test(to)
      ? {
          ok: true,
          writes: [
            {
              key: 'precision',
              value: to.replace('-mixed', ''),
              near: ['grad_accumulation_factor', 'batch_size'],
            },
          ],
        }
      : refuse('SpeechBrain takes fp32, fp16 or bf16.'),
  optimizer: () => refuse('The optimizer is a class in a tag, with arguments of its own.'),
};
