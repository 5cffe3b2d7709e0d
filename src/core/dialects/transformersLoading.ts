import type { Quantity } from '../spec/quantity';
import type { Dialect, Rule } from './dialect';
import { count } from './engine/readers';
import type { RunReader } from './engine/runReader';
import { builtIn } from './defined/compile';
import file from './transformersLoading.yaml';
import { quantization } from './hfTrainer';

const IN = ['', 'model.', 'generation.', 'generation_config.', 'inference.', 'model_kwargs.'];

const presentKey = (run: RunReader, names: readonly string[]): string | undefined =>
  names.flatMap(name => IN.map(section => `${section}${name}`)).find(key => run.has(key));

/** Keys for the total length of a text, of a prompt, and of an answer. */
const lengthKeys = {
  whole: ['max_length', 'max_seq_length', 'max_seq_len', 'context_length'],
  prompt: ['max_input_length', 'max_input_tokens', 'max_prompt_length', 'prompt_length'],
  answer: ['max_new_tokens', 'max_tokens', 'max_output_tokens'],
} as const;

/** The final length of a row: stated, else prompt plus answer. */
function lengthOf(run: RunReader): Quantity<number> {
  const whole = presentKey(run, lengthKeys.whole);
  if (whole !== undefined) return run.at(whole, run.read(whole, count));
  const prompt = presentKey(run, lengthKeys.prompt);
  const answer = presentKey(run, lengthKeys.answer);
  if (prompt === undefined || answer === undefined) {
    return run.unknown('No key says how long prompts are, with their answers.');
  }
  const tokens = (run.read(prompt, count) ?? 0) + (run.read(answer, count) ?? 0);
  return run.derived(tokens, [prompt, answer], 'a prompt and its answer');
}

const newTokensOf: Rule<number> = run => {
  const answer = presentKey(run, lengthKeys.answer);
  return answer === undefined ? run.none('no key says it') : run.at(answer, run.read(answer, count));
};

/** `cuda:0`, `cpu`, `mps`: all on one device, which a pipeline calls `device`. Numbers are GPUs, below 0 the CPU. */
function wordOf(run: RunReader, sections: readonly string[]): string | null {
  const key = ['device_map', 'device']
    .flatMap(name => sections.map(section => `${section}${name}`))
    .find(name => run.has(name));
  if (key === undefined) return null;
  const value = run.value(key);
  if (typeof value === 'number') return value < 0 ? 'cpu' : `cuda:${value}`;
  return run.word(key);
}

/** The GPUs of `max_memory`; one for a named GPU; else all visible ones. */
const gpusOfMap =
  (sections: readonly string[]): Rule<number | 'auto'> =>
  run => {
    const map = wordOf(run, sections) ?? '';
    const memory = sections.map(section => `${section}max_memory`).find(key => run.has(key));
    const room = memory === undefined ? null : run.value(memory);
    if (memory !== undefined && typeof room === 'object' && room !== null && !Array.isArray(room)) {
      const gpus = Object.keys(room).filter(key => /^\d+$/.test(key)).length;
      if (gpus > 0) return run.at(memory, gpus);
    }
    if (map.startsWith('cuda')) return run.derived(1, ['device_map'], `${map} is one GPU`);
    return /^(?:cpu|mps)$/.test(map)
      ? run.derived(0, ['device_map'], `${map} is not a CUDA device`)
      : run.derived('auto', ['device_map'], 'a device map takes all GPUs that are visible');
  };

const accelerator =
  (sections: readonly string[]): Rule<string> =>
  run => {
    const map = wordOf(run, sections) ?? '';
    return run.derived(/^(?:cpu|mps)$/.test(map) ? map : 'cuda', ['device_map'], 'what the device map names');
  };

const SECTIONS = ['', 'model.', 'model_kwargs.', 'llm.', 'quantization.'];

/**
 * Arguments that inference scripts pass to from_pretrained: the model, its dtype, a device map with the limit of
 * each device (device-map guide; transformers 5.23, modeling_utils.py). Nothing is trained.
 */
export const transformersLoading: Dialect = builtIn(file, {
  quantities: {
    seqLen: lengthOf,
    quantization,
    devices: gpusOfMap(SECTIONS),
    accelerator: accelerator(SECTIONS),
  },
  details: { generatedTokens: newTokensOf },
});
