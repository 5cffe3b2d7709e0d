import type { ScalarValue } from '../../yaml/node';
import type { Written } from '../dialect';
import type { RunReader } from '../engine/runReader';
import { servingWriters } from '../shared/serving';
import { accumulatesByGlobal, refuse, writesGlobal } from '../shared/writing';
import { ownOf } from '../../yaml/tables';
import type { DefinedWriter } from './definition';

type Writer = (to: unknown, run: RunReader) => Written;

/** Ways of writing that several dialects share. */
export const sharedWriters: Readonly<Record<string, (row: DefinedWriter, name: string) => Writer>> = {
  /** The requested batch per GPU times the number of GPUs. */
  batchOfAll: ({ keys: [key = ''] }) => writesGlobal(key).microBatchSize as Writer,
  /** The global batch for this number of accumulation steps. */
  accumulationByGlobal: ({ keys: [key = ''] }) => accumulatesByGlobal(key).gradAccum as Writer,
  /** An engine does not train, so it has no key for this. */
  serving: (_, name) =>
    (servingWriters[name as 'method'] as Writer | undefined) ??
    (() => refuse('An engine has no key for it.')),
  /** Only if a key already states the quantity; writes that key. */
  whereStated:
    ({ map }, name) =>
    (to, run) => {
      const { origin } = run.get(name as 'seqLen');
      const value = map ? ownOf(map, String(to)) : (to as ScalarValue);
      return 'at' in origin && value !== undefined
        ? { ok: true, writes: [{ key: origin.at.path, value }] }
        : refuse('The script has no key for it.');
    },
};
