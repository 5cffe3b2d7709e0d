import { VETOES } from './vocabulary';

const WORDS = /(?:batch_?size|batchsize|\bbsz?\b|\bmbs\b|\bgbs\b|(?:samples|imgs|images)_per_)/i;
const MODEL_WORDS = /model|backbone|encoder|arch|layers|hidden/i;
const TRAINING_WORDS = /(?:\blr\b|learning_?rate|epochs?\b|max_steps)/i;

/** A look at the text, without parsing: false when no reading by vocabulary can come of it. */
export const couldBeGeneric = (text: string): boolean =>
  WORDS.test(text) && MODEL_WORDS.test(text) && TRAINING_WORDS.test(text) && !isOfAnother(text);

/** Programs whose keys stand at the root: what infer.ts would turn away, a schema of thousands of lines among it. */
const OTHERS = VETOES.map(keys =>
  keys.map(key => new RegExp(`^["']?${key.replace('$', String.raw`\$`)}["']?[ \\t]*:`, 'm')),
);

/** Of several documents each is looked at by itself, and that takes parsing. */
const isOfAnother = (text: string): boolean =>
  OTHERS.some(keys => keys.every(key => key.test(text))) && !text.trimStart().includes('\n---');
