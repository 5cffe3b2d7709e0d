import type { KeyWrite, WriterTable, Written } from '../dialect';
import { dtypeName } from '../shared/words';

const write = (...writes: KeyWrite[]): Written => ({ ok: true, writes });
const refuse = (why: string): Written => ({ ok: false, why });

/**
 * How to write quantities that need more than one plain key; a key that the script does not have would have no
 * effect.
 */
export const hfTrainerWriters: WriterTable = {
  seqLen: (to, run) => {
    const { origin } = run.get('seqLen');
    return 'at' in origin
      ? write({ key: origin.at.path, value: to })
      : refuse('The script has no key for the length.');
  },
  attention: (to, run) => {
    const { origin } = run.get('attention');
    return 'at' in origin
      ? write({ key: origin.at.path, value: to })
      : refuse('The script has no key for attention.');
  },
  loadDtype: (to, run) => {
    const { origin } = run.get('loadDtype');
    return 'at' in origin
      ? write({ key: origin.at.path, value: dtypeName[to] })
      : refuse('The script has no key for it.');
  },
  method: (to, run) =>
    to === run.get('method').value ? write() : refuse(`Only the script can turn to ${to} training.`),
  precision: (to, run) => {
    const key = to.replace(/-mixed$/, '');
    if (key !== 'bf16' && key !== 'fp16') return refuse(`The trainer has no switch for ${to}.`);
    const other = key === 'bf16' ? 'fp16' : 'bf16';
    return write(
      { key, value: true, near: [other] },
      ...(run.flag(other) ? [{ key: other, value: false }] : []),
    );
  },
  loss: to =>
    to === 'liger'
      ? write({ key: 'use_liger_kernel', value: true, near: ['gradient_checkpointing'] })
      : refuse(`The trainer has no word for the loss ${to}.`),
};
