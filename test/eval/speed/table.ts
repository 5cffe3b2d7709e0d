import { readFileSync } from 'node:fs';
import { textOfPair } from '../pairs/pair';
import type { Pair } from '../pairs/pair';

/*
 * A table of measurements of Megatron's GPT: one row is one run. It becomes the command that starts such a run, so that it goes
 * the way of every other file. What the table does not say is as the simulator's own configs of these runs have it (config/validation,
 * use_checkpoint): layers are recomputed; and as its Megatron-DeepSpeed of 2023 does it: fp16, attention without a fused kernel.
 */

/** The flag of each column. */
const FLAGS: ReadonlyMap<string, string> = new Map([
  ['global batch', 'global-batch-size'],
  ['micro batch', 'micro-batch-size'],
  ['hidden size', 'hidden-size'],
  ['attention heads', 'num-attention-heads'],
  ['# layers', 'num-layers'],
  ['sequence length', 'seq-length'],
  ['tensor parallelism', 'tensor-model-parallel-size'],
  ['pipeline parallelism', 'pipeline-model-parallel-size'],
]);

const FIXED = [
  '--recompute-granularity full',
  '--recompute-method uniform',
  '--attention-backend eager',
  '--fp16',
  '--vocab-size 51200',
  '--max-position-embeddings 2048',
  '--attention-dropout 0.1',
];

const ROW = /^row (\d+)$/;
const PATH = /^(.*\.csv)\.row(\d+)\.sh$/;

export const isOfTable = ({ file, run }: Pair): boolean => file.endsWith('.csv') && ROW.test(run ?? '');

/** The same pair with the command's name as its file. */
export const inTable = <P extends Pair>(pair: P): P => ({
  ...pair,
  file: `${pair.file}.row${ROW.exec(pair.run ?? '')?.[1] ?? ''}.sh`,
  run: null,
});

/** The text of a pair's file: a command where it names a row of a table. */
export function textAt(path: string): string | null {
  const found = PATH.exec(path);
  return found ? commandOf(readFileSync(found[1] ?? '', 'utf8'), Number(found[2])) : textOfPair(path);
}

function commandOf(table: string, row: number): string {
  const lines = table.trim().split(/\r?\n/);
  const [head = [], cells = []] = [lines[0], lines[row]].map(line => line?.split(',') ?? []);
  const flags = head.flatMap((column, at) => {
    const flag = FLAGS.get(column.trim());
    return flag ? [`--${flag} ${cells[at] ?? ''}`] : [];
  });
  const gpus = Number(cells[head.findIndex(column => column.trim() === '# GPUs')]);
  const start = `torchrun --nproc_per_node ${Math.min(8, gpus)} --nnodes ${Math.ceil(gpus / 8)} pretrain_gpt.py`;
  return `#!/bin/bash\n${[start, ...flags, ...FIXED].join(' \\\n  ')}\n`;
}
