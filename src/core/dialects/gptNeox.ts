import { builtIn } from './defined/compile';
import file from './gptNeox.yaml';
import type { Dialect } from './dialect';
import { checkpointing, optimizer, parallel, precision, precisionRaw, strategy } from './gptNeox/rules';
import { neoxModel } from './gptNeox/ownModel';
import { gptNeoxWriters } from './gptNeox/writers';

/** GPT-NeoX, whose `-` and `_` in keys are alike. A run takes several of these files together, named on the command line:
 * what one of them leaves out another may say. Sources are files of EleutherAI/gpt-neox ea7aefd. */
export const gptNeox: Dialect = builtIn(file, {
  quantities: {
    precision,
    precisionRaw,
    loadDtype: run => {
      const compute = run.get('precision').value;
      return compute === 'bf16' || compute === 'fp16' || compute === 'fp32'
        ? run.derived(compute, ['precision'], 'DeepSpeed holds weights in the compute dtype')
        : run.unknown('The precision is not known.');
    },
    optimizer,
    gradientCheckpointing: checkpointing,
    parallel,
    strategy,
  },
  writers: gptNeoxWriters,
  ownModel: neoxModel,
});
