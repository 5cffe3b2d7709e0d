import { builtIn } from './defined/compile';
import file from './gptNeox.yaml';
import type { Dialect } from './dialect';
import { neoxModel } from './gptNeox/ownModel';

/**
 * GPT-NeoX, which treats `-` and `_` in keys as equal. A run takes several of these files on the command line,
 * which complete each other. Sources are files of EleutherAI/gpt-neox ea7aefd.
 */
export const gptNeox: Dialect = builtIn(file, { ownModel: neoxModel });
