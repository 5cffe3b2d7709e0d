import type { Rule, RuleContext } from './rule';
import { numberOf } from './raw';
import { when } from './when';

const RATIO = 'zero_optimization.offload_optimizer.ratio';
const STAGE = 'zero_optimization.stage';

export const partialOffload: Rule = {
  id: 'partial-offload',
  severity: 'error',
  summary: 'Partial optimizer offload needs ZeRO-3.',
  sources: [
    'deepspeed 0.19 runtime/zero/config.py L389: “Partial offloading only supported for ZeRO Stage 3.”',
  ],
  dialects: ['deepspeed'],
  check: when([partial, belowStage3], quote => ({
    at: [RATIO],
    message: `DeepSpeed rejects ${quote(RATIO)} below stage 3. Use stage 3, or offload all of it.`,
  })),
};

function partial(context: RuleContext): boolean {
  return (numberOf(context, RATIO) ?? 1) < 1;
}
function belowStage3(context: RuleContext): boolean {
  return (numberOf(context, STAGE) ?? 3) < 3;
}
