const WORDS = /(?:batch_?size|batchsize|\bbsz?\b|\bmbs\b|\bgbs\b|(?:samples|imgs|images)_per_)/i;
const MODEL_WORDS = /model|backbone|encoder|arch|layers|hidden/i;
const TRAINING_WORDS = /(?:\blr\b|learning_?rate|epochs?\b|max_steps)/i;

/** A look at the text, without parsing: false when no reading by vocabulary can come of it. */
export const couldBeGeneric = (text: string): boolean =>
  WORDS.test(text) && MODEL_WORDS.test(text) && TRAINING_WORDS.test(text);
