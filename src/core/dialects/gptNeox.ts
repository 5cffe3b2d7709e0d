import { builtIn } from './defined/compile';
import file from './gptNeox.yaml';
import type { Dialect } from './dialect';
import { neoxModel } from './gptNeox/ownModel';

/** GPT-NeoX, whose `-` and `_` in keys are alike. A run takes several of these files together, named on the command line:
 * what one of them leaves out another may say. Sources are files of EleutherAI/gpt-neox ea7aefd. */
export const gptNeox: Dialect = builtIn(file, { ownModel: neoxModel });
