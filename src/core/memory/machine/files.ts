import { formatCount } from '../../units';
import type { HostTerm } from '../estimate';
import { bytesPer } from '../tensor';
import type { HostRun } from './residents';
import { phrase } from '../../text/say';

/**
 * A full state dict is assembled on the first rank's host: FSDP 1 has the model and, after it, the optimizer's
 * states there (accelerate, utils/fsdp_utils.py, save_fsdp_model and save_fsdp_optimizer: offload to CPU, rank 0
 * only). Sharded checkpoints need none of it, so the interval starts at zero.
 */
export function savingTerms({ run, parameters, trained }: HostRun): readonly HostTerm[] {
  const { sharding } = run.ranks;
  if (sharding?.kind !== 'fsdp' || sharding.version !== 1 || run.task !== 'train') return [];
  const each =
    trained > 0 && sharding.compute !== null ? bytesPer('fp32') : bytesPer(run.numbers.weightDtype);
  const expected = Math.max(parameters * each, trained * each * 2);
  const formula = phrase`a full state dict of ${formatCount(parameters)} parameters on the first rank`;
  return [
    {
      term: 'checkpoint',
      bytes: { low: 0, expected, high: parameters * each + trained * each * 2 },
      formula,
    },
  ];
}

/**
 * A checkpoint that a run starts from: its weights pass through the host in every process; then the optimizer's
 * states, unless several ranks read them directly onto their GPUs (transformers 5.23, trainer.py,
 * _load_from_checkpoint and _load_optimizer_and_scheduler: map_location).
 */
export function resumingTerms({ run, parameters, trained, ranks }: HostRun): readonly HostTerm[] {
  if (run.training.resumes !== true || run.ranks.sharding !== null || trained === 0) return [];
  const weights = parameters * bytesPer(run.numbers.weightDtype) * ranks;
  const isNarrow = run.training.optimizer?.names.some(name => name.includes('8bit')) === true;
  const states = ranks > 1 ? 0 : trained * 2 * (isNarrow ? 1 : bytesPer(run.numbers.weightDtype));
  const expected = Math.max(weights, states);
  const formula = `the larger of the weights of ${formatCount(parameters)} parameters and their states, on their way to the GPU`;
  return [{ term: 'checkpoint', bytes: { low: expected / 2, expected, high: weights + states }, formula }];
}

/**
 * The most that is written at a time (`max_shard_size`), plus a copy as bytes (safetensors 0.6, torch.py,
 * _tobytes).
 */
const SHARD = 5e9;

/** Merging adapters on the host: the whole model, the largest product in fp32, and the file being written. */
export function mergingTerms({ run, parameters }: HostRun): readonly HostTerm[] {
  if (run.training.merges !== 'cpu') return [];
  const weights = parameters * bytesPer(run.numbers.weightDtype);
  const { hiddenSize, intermediateSize } = run.model;
  const product = 2 * hiddenSize * Math.max(hiddenSize, intermediateSize) * bytesPer('fp32');
  const file = Math.min(weights, SHARD);
  return [
    {
      term: 'weights while loading',
      bytes: { low: weights, expected: weights, high: weights * 2 },
      formula: `${formatCount(parameters)} parameters × ${bytesPer(run.numbers.weightDtype)} B, into which adapters are merged`,
    },
    {
      term: 'checkpoint',
      bytes: { low: 0, expected: product + file, high: product + weights },
      formula: 'the largest product of adapters, and a file of the merged model',
    },
  ];
}
