import { line } from './line';

const SEP = String.raw`['"]?\s*[:=]?\s*\[?['"]?`;
const LR = String.raw`(?:^|[\s,|(\[])(?:lr|learning[ _]rate)${SEP}{}`;
const NORM = String.raw`(?:^|[\s,|(])grad(?:ient)?[ _]?norm${SEP}{}`;
const RATE = String.raw`{} ?(?:samples|imgs?|images|examples|ex|utts?)/s`;
const SAMPLES = String.raw`(?:samples|images|imgs)/s(?:ec)?: ?{}`;
const TOKENS = String.raw`tok(?:en)?s?/s(?:ec(?:ond)?)?${SEP}{}`;
const TOKENS_BEFORE = String.raw`{} ?tok(?:en)?s?/s\b`;

const behind = {
  learningRate: LR,
  gradNorm: NORM,
  samplesPerSecond: SAMPLES,
  samplesPerSecond2: RATE,
  tokensPerSecond: TOKENS,
  tokensPerSecond2: TOKENS_BEFORE,
};
const example =
  'lr: 0.000051, gradnorm: 12.3454, samples/sec: 12.5, 12.5 samples/s, tok/s: 812.0 (812.0 tok/s)';

/**
 * What people print from their own scripts: a step, a loss, and what else they like. A line needs both: a step alone may
 * be anything, and a loss alone is as often that of an evaluation.
 */
export const ownForms = [
  line({
    start: String.raw`^(?!.*\b(?:val|valid|validation|eval|test)\w*\b.{0,20}(?:step|iter|batch|epoch))(?=(?:.*?(?:^|[\s,|(\[])[Ee]poch:?${SEP}(?<epoch>{}))?)(?=.*?(?:^|[\s,|(\[])(?:[Gg]lobal[_ ]?)?(?:[Ss]tep|[Ii]ter(?:ation)?|[Bb]atch)s?${SEP}(?<step>{})(?!\d*%)(?:\s*/\s*(?<steps>{}))?)(?=.*?(?:^|[\s,|(\[/_])[Ll]oss${SEP}(?<loss>{}))`,
    parts: behind,
    example: `Epoch [1/10], Step [100/600], Loss: 0.1234, ${example}`,
    source: 'PyTorch and Keras tutorials, and the scripts that grew out of them',
  }),
  line({
    start: String.raw`\{(?=['"][^:]{1,80}['"]:)(?=.*?['"]loss['"]:)`,
    parts: {
      step: String.raw`['"](?:global_step|step|iter)['"]:\s*['"]?{}`,
      learningRate: String.raw`['"]lr['"]:\s*['"]?{}`,
      eta: String.raw`['"]eta['"]:\s*['"]{t}`,
    },
    example: '{"progress":1.3,"loss":3.21,"lr":0.0493,"step":12,"eta":"0h3m"}',
    source: 'records of their own scripts, as JSON',
  }),
  line({
    start: String.raw`\bepoch (?<epoch>{}) - iter (?<step>{})/(?<steps>{}) - loss (?<loss>{})`,
    parts: { samplesPerSecond: 'samples/sec: {}', learningRate: String.raw`\blr: {}` },
    example:
      'epoch 1 - iter 20/40 - loss 2.86820018 - time (sec): 2.48 - samples/sec: 4171.22 - lr: 0.100000',
    source: 'flair/trainers/trainer.py',
  }),
];
