import type { Quantity } from '../../spec/quantity';
import type { Dtype } from '../../spec/values';
import type { RunReader } from '../engine/runReader';

const MP = 'trainer.mp';

const DTYPES: Readonly<Record<string, Dtype>> = {
  bfloat16: 'bf16',
  bf16: 'bf16',
  float16: 'fp16',
  f16: 'fp16',
  half: 'fp16',
  float32: 'fp32',
  f32: 'fp32',
  full: 'fp32',
};

/** jmp's policies: `p=f32,c=bfloat16`, `params=float32,compute=bfloat16,output=…`, or one dtype for all. */
function policy(run: RunReader): { readonly params: Dtype; readonly compute: Dtype } | null {
  const text = run.word(MP) ?? 'f32';
  const parts = new Map(
    text.split(',').map(part => {
      const [name = '', dtype] = part.split('=').map(one => one.trim());
      return [dtype === undefined ? 'all' : (name[0] ?? ''), DTYPES[dtype ?? name]] as const;
    }),
  );
  const params = parts.get('p') ?? parts.get('all');
  const compute = parts.get('c') ?? parts.get('all');
  return params === undefined || compute === undefined ? null : { params, compute };
}

export function precision(run: RunReader): Quantity<string> {
  const read = policy(run);
  if (read === null) return run.unknown(`${MP}: ${run.word(MP) ?? ''} is no policy of jmp.`);
  const words = read.params === read.compute ? read.compute : `${read.compute}-mixed`;
  return run.has(MP) ? run.at(MP, words) : run.byDefault(words, 'levanter/trainer.py: mp is f32');
}

export function loadDtype(run: RunReader): Quantity<Dtype> {
  const read = policy(run);
  if (read === null) return run.unknown(`${MP}: ${run.word(MP) ?? ''} is no policy of jmp.`);
  return run.has(MP) ? run.at(MP, read.params) : run.byDefault(read.params, 'levanter/trainer.py: mp is f32');
}

const PARALLELISM = 'trainer.per_device_parallelism';

/** -1: all of the batch at once, each device its share (levanter/trainer.py L695). */
export function microBatch(run: RunReader): Quantity<number> {
  const stated = run.value(PARALLELISM);
  if (typeof stated === 'number' && stated > 0) return run.at(PARALLELISM, stated);
  const [total, gpus] = [run.get('globalBatchSize').value, run.get('gpus').value];
  if (total === null || gpus === null) {
    return run.unknown(
      `${PARALLELISM} is -1: the batch divided by the devices, whose number is not in the file.`,
    );
  }
  return run.derived(Math.ceil(total / gpus), ['globalBatchSize', 'gpus'], `${total} ÷ ${gpus} devices`);
}
