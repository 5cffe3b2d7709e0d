import { isCertain } from '../learn/dataLengths';
import type { DataLengths } from '../learn/dataLengths';
import { percentile } from '../lengths/counts';
import { toTokens, tokenBins } from '../lengths/record';
import type { Positions } from '../models/model';
import { isUnknown } from '../spec/quantity';
import { formatBytes, grouped } from '../units';
import { isStated, numberOf } from './raw';
import { AXOLOTL } from './rule';
import type { Rule, RuleContext } from './rule';
import { not, quoted, setKey, stated, when } from './when';
import { ownOf } from '../yaml/tables';

export const sequenceLengthDefault: Rule = {
  id: 'sequence-length-default',
  severity: 'hint',
  summary: '`sequence_len` is not set: longer samples are dropped at 512 tokens.',
  sources: ['axolotl 0.18 utils/schemas/config.py L665: sequence_len 512; excess_length_strategy drop'],
  dialects: AXOLOTL,
  check: when([not(stated('sequence_len')), not(stated('excess_length_strategy'))], () => ({
    at: ['base_model'],
    message:
      '`sequence_len` is not set: Axolotl uses 512 tokens and drops longer samples. ' +
      'Set it to the length of your data.',
  })),
};

/** Keys that extend a model's positions or replace its config. */
const OVERRIDES: readonly string[] = [
  'rope_scaling',
  'overrides_of_model_config',
  'model_config',
  'base_model_config',
  'model_init_kwargs',
  'config_overrides',
  'use_pose',
];

/** What happens beyond the limit; other kinds of positions have none. */
const BEYOND: Partial<Record<Positions, string>> = {
  rope: 'positions beyond were never trained',
  learned: 'the run stops with an index error',
};

export const sequenceBeyondModel: Rule = {
  id: 'sequence-beyond-model',
  severity: 'warning',
  summary: 'Sequences are longer than the model supports.',
  sources: [
    'config.json max_position_embeddings: rotary models extrapolate beyond it, learned positions end there',
  ],
  check(context) {
    const { run, model } = context;
    const { seqLen, packing } = run.quantities;
    const most = model?.maxPositions ?? null;
    if (!model || most === null || seqLen.value === null || seqLen.value <= most) return [];
    // Packed rows restart their positions: the row may be longer than any sample.
    if (packing.value !== false || isUnknown(packing)) return [];
    if (OVERRIDES.some(key => isStated(context, key))) return [];
    const beyond = BEYOND[model.positions];
    if (beyond === undefined) return [];
    const message =
      `${seqLen.value} tokens exceed ${model.id}'s ${most} positions: ${beyond}. ` +
      'Shorten the sequences, choose a long-context model, or configure RoPE scaling where the model allows it.';
    return [{ at: ['quantity:seqLen'], message }];
  },
};

const MODEL = 'model.seq_length';
const DATA = 'dataset.seq_length';

export const megatronBridgeLengthsDiffer: Rule = {
  id: 'megatron-bridge-lengths-differ',
  severity: 'error',
  summary: 'Model and data have different sequence lengths.',
  sources: ['src/megatron/bridge/training/config.py L1644: assert self.model.seq_length == data_seq_length'],
  dialects: ['megatron-bridge'],
  check(context) {
    const model = numberOf(context, MODEL);
    const data = numberOf(context, DATA);
    if (model === null || data === null || model === data) return [];
    const message = `${quoted(context, MODEL)} and ${quoted(context, DATA)} must be the same: Megatron-Bridge fails an assertion.`;
    return [{ at: [DATA, MODEL], message, remedies: [setKey(DATA, model)] }];
  },
};

/** Below one row in a hundred the finding is not worth it. */
const MANY = 0.01;

/** What the framework does with a row that is longer, from its source. */
const FATES: Readonly<Record<string, string>> = {
  axolotl: 'Axolotl drops them unless excess_length_strategy is truncate',
  llamafactory: 'LLaMA-Factory cuts them off',
  'hf-trl': 'TRL cuts them off',
};

export const rowsCut: Rule = {
  id: 'rows-cut',
  severity: 'warning',
  summary: 'Rows of the data are longer than the sequence length.',
  sources: [
    'the lengths that were counted of the data',
    'axolotl 0.18 utils/schemas/config.py: excess_length_strategy drop',
    'LLaMA-Factory data/processor: sequences are cut at cutoff_len; trl sft_trainer.py: truncate_dataset',
  ],
  check({ data, run }) {
    const limit = data?.limit ?? null;
    if (!data || data.isStale || limit === null || data.use === 'prompts' || data.cutShare < MANY) return [];
    // Concatenated texts are split at the end of a row and lose nothing.
    if (run.quantities.task.value === 'pretrain') return [];
    const bins = tokenBins(data.record);
    const about = data.record.tokenizer === null ? 'About ' : '';
    const effectText = ownOf(FATES, run.dialect) ?? 'they are cut off or dropped';
    const message =
      `${about}${(data.cutShare * 100).toFixed(1)} % of the rows are longer than ${grouped(limit)} tokens: ${effectText}. ` +
      `${grouped(percentile(bins, 0.99))} would take 99 % of them whole, ${grouped(toTokens(data.record, data.record.longest).expected)} all.`;
    return [{ at: ['quantity:seqLen', 'quantity:model'], message }];
  },
};

/** A limit slightly above the data is deliberate. */
const FAR = 2;

export const limitAboveData: Rule = {
  id: 'limit-above-data',
  severity: 'information',
  summary: 'The sequence length is far above the longest row of the data.',
  sources: [
    'the lengths that were counted of the data',
    'the estimate, with rows as long as the longest: what a batch is padded to',
  ],
  check(context) {
    const { data } = context;
    const { limit = null, longest = null } = data ?? {};
    if (!data || limit === null || longest === null || !isCertain(data) || longest >= limit) return [];
    if (data.use !== 'longest' && data.use !== 'fixed') return [];
    if (limit < FAR * longest && !decides(context, data)) return [];
    return [
      {
        at: ['quantity:seqLen', 'quantity:model'],
        message: `The limit is ${grouped(limit)} tokens, and no row of the data has more than ${grouped(longest)}: ${consequence(context, data, longest)}`,
        remedies: [{ title: 'As long as the data', changes: [{ quantity: 'seqLen', to: longest }] }],
      },
    ];
  },
};

/** True if the run fits with these data and may not fit with others. */
function decides({ estimate }: RuleContext, { estimate: byData }: DataLengths): boolean {
  const [limit, own] = [estimate?.devices[0]?.verdict, byData?.devices[0]?.verdict];
  return limit === 'exceeds' && (own === 'fits' || own === 'tight');
}

function consequence(
  { estimate }: RuleContext,
  { use, estimate: byData }: DataLengths,
  longest: number,
): string {
  if (use === 'fixed') {
    return `every batch is padded beyond all rows, which costs memory and time. With ${grouped(longest)} nothing is cut.`;
  }
  const [at, own] = [estimate?.devices[0], byData?.devices[0]];
  const sums =
    at && own
      ? `with these data the run takes about ${formatBytes(own.device.expected)}, and with rows as long as the limit ${formatBytes(at.device.expected)}`
      : 'memory is that of the longest batch';
  return `${sums}. A limit of ${grouped(longest)} cuts nothing, and makes sure of it.`;
}
