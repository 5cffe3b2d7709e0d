import type { ScalarValue } from '../../yaml/node';
import type { Written } from '../dialect';
import type { RunReader } from '../engine/runReader';
import { servingWriters } from '../shared/serving';
import { writesGlobal } from '../shared/vision';
import { accumulatesByGlobal, refuse } from '../shared/writing';
import type { DefinedWriter } from './definition';

type Writer = (to: unknown, run: RunReader) => Written;

/** Ways of writing that several dialects share. */
export const sharedWriters: Readonly<Record<string, (row: DefinedWriter, name: string) => Writer>> = {
  /** The number of GPUs times what is asked for one of them. */
  batchOfAll: ({ keys: [key = ''] }) => writesGlobal(key).microBatchSize as Writer,
  /** The global batch that comes to so many steps of accumulation. */
  accumulationByGlobal: ({ keys: [key = ''] }) => accumulatesByGlobal(key).gradAccum as Writer,
  /** What an engine has no key for, because it trains nothing. */
  serving: (_, name) =>
    (servingWriters[name as 'method'] as Writer | undefined) ??
    (() => refuse('An engine has no key for it.')),
  /** Only where a key states the quantity already: there. */
  whereStated: (_, name) => (to, run) => {
    const { origin } = run.get(name as 'seqLen');
    return 'at' in origin
      ? { ok: true, writes: [{ key: origin.at.path, value: to as ScalarValue }] }
      : refuse('The script has no key for it.');
  },
};

export const sharedWriterNames: readonly string[] = Object.keys(sharedWriters);
