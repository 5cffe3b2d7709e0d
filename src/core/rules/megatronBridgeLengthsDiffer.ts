import type { Rule } from './rule';
import { numberOf } from './raw';
import { quoted, setKey } from './when';

const MODEL = 'model.seq_length';
const DATA = 'dataset.seq_length';

export const megatronBridgeLengthsDiffer: Rule = {
  id: 'megatron-bridge-lengths-differ',
  severity: 'error',
  summary: 'Model and data have different sequence lengths.',
  sources: ['src/megatron/bridge/training/config.py L1644: assert self.model.seq_length == data_seq_length'],
  dialects: ['megatron-bridge'],
  check(context) {
    const model = numberOf(context, MODEL);
    const data = numberOf(context, DATA);
    if (model === null || data === null || model === data) return [];
    const message = `${quoted(context, MODEL)} and ${quoted(context, DATA)} must be the same: Megatron-Bridge fails an assertion.`;
    return [{ at: [DATA, MODEL], message, remedies: [setKey(DATA, model)] }];
  },
};
