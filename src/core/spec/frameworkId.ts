/** Frameworks with a profile in the memory model (`memory/frameworks`). */
export const frameworkIds = [
  'axolotl',
  'diffusers',
  'gpt-neox',
  'levanter',
  'lingua',
  'litgpt',
  'llamafactory',
  'llm-foundry',
  'lmdeploy',
  'maxtext',
  'megatron-bridge',
  'megatron-lm',
  'ms-swift-megatron',
  'nanotron',
  'nemo-automodel',
  'nemo-megatron',
  'sglang',
  'simpletuner',
  'tei',
  'tensorrt-llm',
  'tgi',
  'torchtitan',
  'torchtune',
  'transformers',
  'trl',
  'ultralytics',
  'unsloth',
  'vllm',
] as const;

export type FrameworkId = (typeof frameworkIds)[number];

const ids: ReadonlySet<string> = new Set(frameworkIds);

const isFrameworkId = (name: string): name is FrameworkId => ids.has(name);

/** The framework with this exact name; null: the memory model has no profile of it. */
export const frameworkIdOf = (name: string): FrameworkId | null => (isFrameworkId(name) ? name : null);
