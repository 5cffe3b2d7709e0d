import type { WriterTable } from '../dialect';
import { keepsMethod, refused } from '../shared/writing';

/** What lingua has no key for. */
export const linguaWriters: WriterTable = {
  ...keepsMethod('lingua trains all weights.'),
  optimizer: refused('lingua/optim.py always steps with AdamW.'),
  loadDtype: refused('What FSDP shards is fp32.'),
};
