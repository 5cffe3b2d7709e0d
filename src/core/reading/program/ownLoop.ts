const TRAINERS = /Trainer\b|TrainingArguments|HfArgumentParser|TrlParser|(?:SFT|DPO|GRPO|KTO|ORPO)Config/;

/** Lightning's Trainer, which takes other arguments. */
const OF_LIGHTNING = /\b(?:pl|L|lightning|pytorch_lightning)(?:\.[a-z]\w{0,30}){0,3}\.Trainer\b/g;
const FROM_LIGHTNING =
  /^[ \t]*from (?:pytorch_)?lightning(?:\.\w{1,30}){0,3} import [^\n#]{0,200}?\bTrainer\b/m;

/** Classes that train tokenizers: tokenizers.trainers, sentencepiece. */
const OF_TOKENIZERS = /^(?:Bpe|WordPiece|WordLevel|Unigram|SentencePiece)Trainer$/;

/** A class named `…Trainer`, and its base class. */
const CLASS = /^class (\w{0,60}Trainer)(?:\([ \t]{0,8}(\w[\w.]{0,60})?[^)\n]{0,200}\))?:/gm;
const PLAIN = /^(?:object|(?:abc\.)?ABC|(?:nn\.)?Module)$/;

/** True if the programs make a Trainer of Transformers, or parse its arguments. */
export function hasTrainer(texts: readonly string[]): boolean {
  const own = ownTrainers(texts);
  return texts.some(text => TRAINERS.test(withoutOthers(text, own)));
}

/** Names of your own trainer classes: none of a library's is among their base classes. */
function ownTrainers(texts: readonly string[]): ReadonlySet<string> {
  const own = new Set<string>();
  const classes = texts.flatMap(text => [...text.matchAll(CLASS)]);
  for (let before = -1; before < own.size;) {
    before = own.size;
    for (const [, name = '', base] of classes) {
      if (base === undefined || PLAIN.test(base) || own.has(base)) own.add(name);
    }
  }
  return own;
}

function withoutOthers(text: string, own: ReadonlySet<string>): string {
  const isLightning = FROM_LIGHTNING.test(text);
  const isOther = (name: string): boolean =>
    own.has(name) || OF_TOKENIZERS.test(name) || (isLightning && name === 'Trainer');
  return text
    .replaceAll(OF_LIGHTNING, '')
    .replaceAll(/\b\w{0,60}Trainer\b/g, name => (isOther(name) ? '' : name));
}

/** True if the programs call `backward` themselves, and make no Trainer. */
export const hasOwnLoop = (texts: readonly string[]): boolean =>
  texts.some(text => text.includes('.backward(')) && !hasTrainer(texts);

/** True if the programs train without a Trainer, also if their loop is in a file that is not read. */
export const trainsItself = (texts: readonly string[]): boolean =>
  texts.some(text => /\.backward\(|\boptimizer\b|\bget_peft_model\b/.test(text)) && !hasTrainer(texts);

/** Trainers, losses and steps that learn from answers which are compared or rewarded (TRL's names, and loops of one's own). */
const COMPARING =
  /\b(?:Online|Iterative)?(?:DPO|CPO|ORPO|KTO|BCO|GRPO|RLOO|PPO|PRM|Reward|XPO|NashMD)(?:v2)?(?:Trainer|Config)\b|\b(?:dpo|orpo|kto|cpo|grpo|ppo|rloo|simpo)_(?:loss|step|train\w{0,10})\b/;

/** True if programs train on more than texts to continue. */
export const comparesAnswers = (texts: readonly string[]): boolean =>
  texts.some(text => COMPARING.test(text.replaceAll(/#[^\n]*/g, '')));
