/** Frameworks on top of Hugging Face's Trainer. */
export const ON_TRAINER: readonly string[] = ['axolotl', 'hf-trl', 'hf-trainer'];

/** Configs whose keys are TrainingArguments. */
export const TRAINING_ARGUMENTS: readonly string[] = ['hf-trl', 'hf-trainer'];

export const AXOLOTL: readonly string[] = ['axolotl'];
export const TRL: readonly string[] = ['hf-trl'];
