const TRAINERS = /Trainer\b|TrainingArguments|HfArgumentParser|TrlParser|(?:SFT|DPO|GRPO|KTO|ORPO)Config/;

/** Whether programs make a trainer of transformers, or parse its arguments. */
export const hasTrainer = (texts: readonly string[]): boolean => texts.some(text => TRAINERS.test(text));

/** Whether programs compute gradients themselves, and make no trainer. */
export const hasOwnLoop = (texts: readonly string[]): boolean =>
  texts.some(text => text.includes('.backward(')) && !hasTrainer(texts);

/** Whether programs train without such a trainer, also where their loop is in a file that is not read. */
export const trainsItself = (texts: readonly string[]): boolean =>
  texts.some(text => /\.backward\(|\boptimizer\b|\bget_peft_model\b/.test(text)) && !hasTrainer(texts);
