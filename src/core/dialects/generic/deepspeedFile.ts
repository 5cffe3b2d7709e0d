import { emptyRow } from '../defined/definition';
import type { DialectDefinition } from '../defined/definition';
import { isNamed, only } from './finder';
import type { Finder } from './finder';

/** `--deepspeed ds.json`, `--deepspeed_config ds.json` (deepspeed/__init__.py: add_config_arguments). */
const NAMES = /^(?:deepspeed|ds)(?:_(?:config|json))?(?:_(?:file|path))?$/;

/** What a DeepSpeed file says of a run, if the program's own keys do not. */
const STATED = ['microBatchSize', 'gradAccum', 'precision', 'optimizer', 'zeroStage', 'offload'];

/** The rows and the reference of a run whose program is given a DeepSpeed file; none without one. */
export function ofDeepSpeed(
  finder: Finder,
  rows: DialectDefinition['rows'],
): Pick<DialectDefinition, 'rows' | 'references'> {
  const named = only(finder.one(isNamed(NAMES), ({ value }) => String(value).endsWith('.json')));
  if (!named) return { rows, references: [] };
  const part = { ...emptyRow, part: named.key };
  const open = STATED.filter(name => rows[name] === undefined || rows[name].assumed !== null);
  const nothing = { value: null, source: 'ZeRO shards the model' };
  return {
    rows: {
      ...rows,
      ...Object.fromEntries(open.map(name => [name, part])),
      ...Object.fromEntries(['fsdp', 'parallel'].map(name => [name, { ...emptyRow, assumed: nothing }])),
      zeroBuffers: { ...emptyRow, rule: 'zeroBuffers', keys: [named.key] },
    },
    references: [{ key: named.key, dialect: 'deepspeed' }],
  };
}
