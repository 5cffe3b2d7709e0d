import type { RunSpec } from './runSpec';
import { english } from '../text/say';
import type { Say } from '../text/say';

/**
 * The effective batch size as shown at the batch keys: `2 × 8 × 4 GPUs = 64`. Null if it would add nothing. `gpus`
 * is the target's count, for configs that leave the number of GPUs to the launcher.
 */
export function batchArithmetic(run: RunSpec, gpus: number | null, say: Say = english): string | null {
  const sum = sumOf(say, run, gpus);
  return sum && `${sum.factors} = ${sum.product}`;
}

/** Numbers of a key that several runs share; more of them are `…`. */
const MOST_NUMBERS = 4;

/** The same at a key that several runs share, such as the turns of a loop: `2 · 4 · 8` if they differ. */
export function sharedBatchArithmetic(
  runs: readonly { readonly run: RunSpec; readonly gpus: number | null }[],
  say: Say = english,
): string | null {
  const texts = new Set(runs.map(({ run, gpus }) => batchArithmetic(run, gpus, say)));
  const [only] = texts;
  if (texts.size === 1) return only ?? null;
  const products = [...new Set(runs.flatMap(({ run, gpus }) => sumOf(say, run, gpus)?.product ?? []))];
  const shown = products.slice(0, MOST_NUMBERS).map(String);
  return shown.length === 0 ? null : [...shown, ...(products.length > MOST_NUMBERS ? ['…'] : [])].join(' · ');
}

/** Null if a factor is unknown, or the GPUs do not form whole copies of the model. */
function sumOf(say: Say, run: RunSpec, gpus: number | null): { factors: string; product: number } | null {
  const { microBatchSize, gradAccum, parallel } = run.quantities;
  const micro = microBatchSize.value;
  const accumulation = gradAccum.value;
  if (micro === null || accumulation === null) return null;
  const count = run.quantities.gpus.value ?? gpus ?? 1;
  const modelParallel =
    (parallel.value?.tensor ?? 1) * (parallel.value?.context ?? 1) * (parallel.value?.pipeline ?? 1);
  const replicas = count / modelParallel;
  if (!Number.isInteger(replicas)) return null;
  const split = modelParallel > 1 ? ` ÷ ${modelParallel}` : '';
  const devices = `${count === 1 ? say('1 GPU') : say('{0} GPUs', count)}${split}`;
  return { factors: `${micro} × ${accumulation} × ${devices}`, product: micro * accumulation * replicas };
}
