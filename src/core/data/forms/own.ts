import { line } from './line';

/** Records that several people's scripts print; other lines of one's own are read by the roles of their words (`prints.ts`). */
export const ownForms = [
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
