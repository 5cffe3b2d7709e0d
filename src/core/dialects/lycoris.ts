import { builtIn } from './defined/compile';
import file from './lycoris.yaml';
import type { Dialect } from './dialect';
import type { KroneckerFactors, LoraSettings } from '../spec/values';
import type { RunReader } from './engine/runReader';

/** Layers in diffusers' blocks, by the class that a preset names. */
const LAYERS = {
  Attention: ['to_q', 'to_k', 'to_v', 'to_out.0', 'add_q_proj', 'add_k_proj', 'add_v_proj', 'to_add_out'],
  FeedForward: ['net.0.proj', 'net.2'],
} as const;

const factorOf = (run: RunReader, name: keyof typeof LAYERS): number | null =>
  run.count(`apply_preset.module_algo_map.${name}.factor`) ?? run.count('factor');

/** wrapper.py: the factor of a class, else the global one. */
function factorsOf(run: RunReader, targets: readonly string[]): KroneckerFactors | null {
  const attention = factorOf(run, 'Attention');
  if (attention === null) return null;
  const mlp = targets.includes('FeedForward') ? factorOf(run, 'FeedForward') : null;
  return { attention, ...(mlp !== null && { mlp }) };
}

/** LyCORIS adapters in a separate file. */
export const lycoris: Dialect = builtIn(file, {
  quantities: {
    lora: run => {
      const algo = run.word('algo');
      if (algo !== 'lokr') return run.unknown(`The memory of LyCORIS’ ${algo ?? 'adapters'} is not modeled.`);
      const targets = run.words('apply_preset.target_module') ?? Object.keys(LAYERS);
      const factors = factorsOf(run, targets);
      if (factors === null) return run.unknown('No factor says how lokr divides a matrix.');
      return run.at<LoraSettings>(['algo', 'factor'], {
        method: 'lycoris-lokr',
        r: null,
        alpha: null,
        dropout: null,
        targets: [...LAYERS.Attention, ...(factors.mlp === undefined ? [] : LAYERS.FeedForward)],
        modulesToSave: [],
        rslora: false,
        dora: false,
        factors,
      });
    },
  },
});
