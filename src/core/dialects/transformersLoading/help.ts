import type { KeyHelp } from '../dialect';

const KEYS: Readonly<Record<string, KeyHelp>> = {
  device_map: {
    text: 'Which device each layer is loaded on. `auto` and `balanced` fill all GPUs evenly, `sequential` one after the other; `cuda:0` is one GPU.',
    values: ['auto', 'balanced', 'balanced_low_0', 'sequential', 'cuda:0', 'cpu', 'mps'],
  },
  max_memory: {
    text: 'What each device may be filled to with weights: `0: 20GiB`, `cpu: 64GiB`. Leave room for activations, the KV cache and the CUDA context.',
    byDefault: 'what is free on each device',
  },
  offload_folder: { text: 'Where weights lie that neither GPUs nor the machine’s memory hold.' },
  offload_state_dict: {
    text: 'While it loads, what is bound for the CPU goes to disk first. Releases of transformers from 4.57 on no longer know it.',
  },
  torch_dtype: {
    text: 'The dtype of the weights: half the bytes in float16 or bfloat16. CPUs compute fastest in float32.',
    values: ['auto', 'bfloat16', 'float16', 'float32'],
  },
  load_in_8bit: { text: 'Weights in 8 bits (LLM.int8): about half of what 16-bit weights take.' },
  load_in_4bit: { text: 'Weights in 4 bits: about a quarter. The `bnb_4bit_` options belong to it.' },
};

/** Help on what from_pretrained takes, and on lengths, wherever they may stand. */
export function transformersLoadingHelp(
  sections: readonly string[],
  lengths: { readonly answer: readonly string[] },
): Readonly<Record<string, KeyHelp>> {
  const all = Object.entries(KEYS).flatMap(([key, help]) =>
    sections.map(section => [`${section}${key}`, help] as const),
  );
  const answers = lengths.answer.map(
    key => [key, { text: 'Tokens that are generated at most: keys and values are kept for each.' }] as const,
  );
  return Object.fromEntries<KeyHelp>([...all, ...answers]);
}
