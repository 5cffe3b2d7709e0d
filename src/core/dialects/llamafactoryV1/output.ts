import type { Launch } from '../dialect';
import type { LogLine } from '../../data/forms/line';

/** More than one visible GPU starts torchrun by itself. */
export const llamafactoryV1Launch: readonly Launch[] = [
  {
    argv: ['env', 'USE_V1=1', 'llamafactory-cli', 'sft', '{config}'],
    tasks: ['sft'],
    source: 'v1/launcher.py: train and sft are the commands that there are',
  },
];

export const llamafactoryV1Logs: readonly LogLine[] = [
  {
    pattern: String.raw`trainable params: [\d,]+ \|\| all params: [\d,]+ \|\| trainable%: (?<percent>[\d.]+)`,
    fields: ['percent'],
    example: 'trainable params: 33,030,144 || all params: 4,055,498,240 || trainable%: 0.8145',
    source: 'peft, print_trainable_parameters (v1/plugins/model_plugins/peft.py)',
  },
];
