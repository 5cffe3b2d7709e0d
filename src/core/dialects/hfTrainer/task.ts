import type { Quantity } from '../../spec/quantity';
import type { RunReader } from '../engine/runReader';
import type { Hit } from '../engine/layers';
import { words } from '../generic/vocabulary';
import { contrastiveKey } from '../shared/contrastive';

/** PEFT's task types as Headroom's tasks. */
const TASK_TYPES: Readonly<Record<string, string>> = {
  CAUSAL_LM: 'sft',
  SEQ_CLS: 'sequence_classification',
  TOKEN_CLS: 'token_classification',
  SEQ_2_SEQ_LM: 'seq2seq',
  QUESTION_ANS: 'question_answering',
};
const TYPE_KEYS = ['task_type', 'lora.task_type', 'peft.task_type', 'lora_task_type'];

/** Keys of scripts for instruction tuning. */
const SFT_KEYS = [
  'dataset_text_field',
  'response_template',
  'instruction_template',
  'prompt_template',
  'chat_template',
];

/** Families whose checkpoints are image backbones. */
const IMAGE_MODEL = /(?:^|[/-])(?:vit|deit|beit|swinv?2?|convnext(?:v2)?|resnet|efficientnet|dinov[23])-/i;

const wordOf = ({ node }: Hit): string => (node.kind === 'scalar' ? String(node.value) : '');
const isNamed = (pattern: RegExp, { path }: Hit): boolean => pattern.test(String(path.at(-1)).toLowerCase());

/** `training_method: DPO`; or what only one method has. */
function ofMethod(run: RunReader): Quantity<string> | null {
  const method = run.leaves().find(leaf => isNamed(words.method, leaf) && words.aMethod.test(wordOf(leaf)));
  if (method) return run.at(method.key, wordOf(method).toLowerCase());
  const groups = run.leaves().find(({ key }) => /(?:^|\.)num_generations$/.test(key));
  return groups ? run.derived('grpo', [groups.key], `${groups.key} counts the answers of a group`) : null;
}

/** The script decides the task; some keys reveal it. */
export function task(run: RunReader): Quantity<string> {
  if (run.has('task')) return run.at('task', run.word('task'));
  for (const key of TYPE_KEYS) {
    const type = TASK_TYPES[run.word(key)?.toUpperCase() ?? ''];
    if (type !== undefined) return run.at(key, type);
  }
  if (run.has('mlm_probability') || run.flag('mlm')) return run.at(['mlm_probability', 'mlm'], 'mlm');
  const compared = contrastiveKey(run);
  if (compared !== null) {
    return run.derived('contrastive_embedding', [compared], `${compared} compares embeddings`);
  }
  const method = ofMethod(run);
  if (method) return method;
  const sft = SFT_KEYS.find(key => run.has(key));
  if (sft !== undefined) return run.derived('sft', [sft], `${sft} belongs to instruction data`);
  if (run.get('lora').value !== null && run.get('seqLen').value !== null) {
    return run.derived('sft', ['lora', 'seqLen'], 'LoRA on token sequences fine-tunes a language model');
  }
  if (IMAGE_MODEL.test(run.get('model').value ?? '')) {
    return run.derived('image_classification', ['model'], 'what backbones of images are fine-tuned for');
  }
  return run.unknown('The task is the script that is started; no key says it.');
}
