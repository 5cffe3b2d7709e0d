import type { Quantity } from '../../spec/quantity';
import type { FsdpSettings, ParallelSettings } from '../../spec/values';
import type { RunReader } from '../engine/runReader';

const at = (run: RunReader, name: string): number | null => {
  const key = `parallelism.${name}`;
  return run.has(key) ? run.count(key) : null;
};

export function parallel(run: RunReader): Quantity<ParallelSettings> {
  const keys = ['tp', 'pp', 'context_parallel_size', 'expert_parallel_size'].map(
    name => `parallelism.${name}`,
  );
  return run.at(keys, {
    tensor: at(run, 'tp') ?? 1,
    context: at(run, 'context_parallel_size') ?? 1,
    pipeline: at(run, 'pp') ?? 1,
    expert: at(run, 'expert_parallel_size') ?? 1,
    dataShard: null,
    dataReplicate: at(run, 'dp'),
  });
}

/** config/parallelism_config.py: every rank is one of dp × tp × pp × cp × ep. */
export function devices(run: RunReader): Quantity<number> {
  const dp = at(run, 'dp');
  const degrees = run.get('parallel').value;
  if (dp === null || degrees === null) return run.unknown('parallelism.dp is not set.');
  const { tensor, pipeline, context, expert } = degrees;
  return run.derived(
    dp * tensor * pipeline * context * expert,
    ['parallelism'],
    `dp ${dp} × tp ${tensor} × pp ${pipeline} × cp ${context} × ep ${expert}`,
  );
}

export function strategy(run: RunReader): Quantity<string> {
  const { tensor = 1, pipeline = 1 } = run.get('parallel').value ?? {};
  const words = `dp${at(run, 'dp') ?? 1} tp${tensor} pp${pipeline} zero${run.get('zeroStage').value ?? 0}`;
  return run.derived(words, ['parallelism', 'optimizer.zero_stage'], 'its degrees, and ZeRO');
}

export const fsdp = (run: RunReader): Quantity<FsdpSettings> => run.none('nanotron has no FSDP');
