import type { RunSpec } from '../spec/runSpec';
import type { Rule, RuleContext } from './rule';
import { AXOLOTL } from './dialectGroups';
import { hasFsdp } from './axolotlFsdp';
import { isOff } from './raw';
import { equals, off, when } from './when';

export const pureBf16: Rule = {
  id: 'pure-bf16',
  severity: 'hint',
  summary: 'Full fine-tuning in bf16 without sharding keeps no fp32 copy of the weights.',
  sources: [
    'axolotl 0.18 utils/config/__init__.py L191, loaders/model.py L606: weights are loaded in torch_dtype',
    'memory formulas §3: 10 bytes per parameter at the peak, measured',
  ],
  dialects: AXOLOTL,
  check: when(
    [equals('method', 'full'), equals('loadDtype', 'bf16'), off('deepspeed'), unsharded],
    (_, { run }) => ({
      at: ['bf16', 'bfloat16', 'base_model'],
      message:
        `Full fine-tuning here holds weights and gradients${states(run)} in bf16, with no fp32 copy of the weights: ` +
        "updates smaller than a weight's last bit are lost. DeepSpeed or FSDP with mixed precision keeps that copy.",
    }),
  ),
};

/** Torch's own AdamW takes the dtype of the parameters; bitsandbytes has states of 8 or 32 bits. */
const states = ({ quantities: { optimizer } }: RunSpec): string =>
  /^adamw_torch(?:_fused)?$/.test(optimizer.value ?? '')
    ? ' and AdamW’s states, about 8 bytes a parameter,'
    : '';

function unsharded(context: RuleContext): boolean {
  return !hasFsdp(context) && isOff(context, 'fsdp_config');
}
