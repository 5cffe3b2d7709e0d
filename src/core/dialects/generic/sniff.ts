import vetoes from './vetoes.json';

const WORDS = /(?:batch_?size|batchsize|\bbsz?\b|\bmbs\b|\bgbs\b|(?:samples|imgs|images)_per_)/i;
const MODEL_WORDS = /model|backbone|encoder|arch|layers|hidden/i;
const LEARNING_WORDS = /(?:\b|_)lr(?:\b|_)|learning_?rate/i;
const REWARD_WORDS = /\bgamma\b|gae_lambda|discount/i;
const LASTING_WORDS = /epoche?s?\b|max_steps|iters?\b/i;

/** Checks the text without parsing: false if no reading by vocabulary is possible. */
export const couldBeGeneric = (text: string): boolean =>
  WORDS.test(text) && mentionsTraining(text) && !isOfAnother(text);

/** Of a model and its training, or of how fast it learns and how long, or from what rewards. */
const mentionsTraining = (text: string): boolean =>
  [MODEL_WORDS, LEARNING_WORDS, LASTING_WORDS, REWARD_WORDS].filter(words => words.test(text)).length >= 2;

const INHERITS =
  /^(?:defaults|_{0,2}bases?_{0,2}|base_config|extends|inherits?(?:_from)?|_{0,2}include_{0,2})[ \t]*:/im;
/** What lies on another config says little itself. */
const LONGEST_CHILD = 20_000;

/** A look at the text: it lies on another file, whose kind it may be. */
export const couldInherit = (text: string): boolean => text.length < LONGEST_CHILD && INHERITS.test(text);

/** Root keys of programs that infer.ts rejects, including long schemas. */
const OTHERS = vetoes.sets.map(keys =>
  keys.map(key => new RegExp(`^["']?${key.replace('$', String.raw`\$`)}["']?[ \\t]*:`, 'm')),
);

/** With several documents, each needs a separate check, which requires parsing. */
const isOfAnother = (text: string): boolean =>
  OTHERS.some(keys => keys.every(key => key.test(text))) && !text.trimStart().includes('\n---');
