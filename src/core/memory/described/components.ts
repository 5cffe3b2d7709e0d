import type { TermName } from '../../models/terms';
import type { Description } from '../../models/description';
import { loadOf } from './rows';
import type { Described, Rows } from './rows';

/** Terms that grow with a step's computation; the others belong to the model. */
const GROWING: ReadonlySet<TermName> = new Set([
  'activations',
  'logits and loss',
  'kv cache',
  'inputs and buffers',
]);

/** A table of components has no uncertainty: numbers may be rounded or for other settings. */
const SPREAD = { below: 0.15, above: 0.15 };

/** Each component of the described run, scaled by samples, tokens and rows if it grows with them. */
export function estimateByComponents({ components, at }: Description, rows: Rows): Described {
  const described = at ?? rows;
  const load = loadOf(rows, [described]);
  const times = load(rows) / load(described);
  const terms = components.map(({ term, bytes }) => {
    const grows = GROWING.has(term);
    return {
      term,
      bytes: grows ? bytes * times : bytes,
      formula: grows ? `as described, times ${Number(times.toPrecision(3))}` : 'as described',
      from: grows ? ['microBatchSize', 'seqLen'] : ['model'],
    };
  });
  return {
    bytes: terms.reduce((sum, { bytes }) => sum + bytes, 0),
    spread: SPREAD,
    terms,
    says: `memory as described for batches of ${described.batch}, growing with the batch where it does`,
  };
}
