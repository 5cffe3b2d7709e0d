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
import { said, template } from '../text/say';
import type { Template } from '../text/say';

export const sequenceLengthDefault: Rule = {
  id: 'sequence-length-default',
  severity: 'hint',
  summary: '`sequence_len` is not set: longer samples are dropped at 512 tokens.',
  sources: ['axolotl 0.18 utils/schemas/config.py L665: sequence_len 512; excess_length_strategy drop'],
  dialects: AXOLOTL,
  check: when([not(stated('sequence_len')), not(stated('excess_length_strategy'))], (_, { say }) => ({
    at: ['base_model'],
    message: say(
      '`sequence_len` is not set: Axolotl uses 512 tokens and drops longer samples. Set it to the length of your data.',
    ),
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
const BEYOND: Partial<Record<Positions, Template>> = {
  rope: template('positions beyond were never trained'),
  learned: template('the run stops with an index error'),
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
    const message = context.say(
      "{0} tokens exceed {1}'s {2} positions: {3}. Shorten the sequences, choose a long-context model, or configure RoPE scaling where the model allows it.",
      seqLen.value,
      model.id,
      most,
      said(context.say, beyond),
    );
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
    const message = context.say(
      '{0} and {1} must be the same: Megatron-Bridge fails an assertion.',
      quoted(context, MODEL),
      quoted(context, DATA),
    );
    return [{ at: [DATA, MODEL], message, remedies: [setKey(DATA, model)] }];
  },
};

/** Below one row in a hundred the finding is not worth it. */
const MANY = 0.01;

/** What the framework does with a row that is longer, from its source. */
const FATES: Readonly<Record<string, Template>> = {
  axolotl: template('Axolotl drops them unless excess_length_strategy is truncate'),
  llamafactory: template('LLaMA-Factory cuts them off'),
  'hf-trl': template('TRL cuts them off'),
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
  check({ data, run, say }) {
    const limit = data?.limit ?? null;
    if (!data || data.isStale || limit === null || data.use === 'prompts' || data.cutShare < MANY) return [];
    // Concatenated texts are split at the end of a row and lose nothing.
    if (run.quantities.task.value === 'pretrain') return [];
    const bins = tokenBins(data.record);
    const share = (data.cutShare * 100).toFixed(1);
    const fate = ownOf(FATES, run.dialect);
    const rest = [
      grouped(limit),
      fate === undefined ? say('they are cut off or dropped') : said(say, fate),
      grouped(percentile(bins, 0.99)),
      grouped(toTokens(data.record, data.record.longest).expected),
    ];
    const message =
      data.record.tokenizer === null
        ? say(
            'About {0} % of the rows are longer than {1} tokens: {2}. {3} would take 99 % of them whole, {4} all.',
            share,
            ...rest,
          )
        : say(
            '{0} % of the rows are longer than {1} tokens: {2}. {3} would take 99 % of them whole, {4} all.',
            share,
            ...rest,
          );
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
        message: context.say(
          'The limit is {0} tokens, and no row of the data has more than {1}: {2}',
          grouped(limit),
          grouped(longest),
          consequence(context, data, longest),
        ),
        remedies: [
          { title: context.say('As long as the data'), changes: [{ quantity: 'seqLen', to: longest }] },
        ],
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
  { estimate, say }: RuleContext,
  { use, estimate: byData }: DataLengths,
  longest: number,
): string {
  if (use === 'fixed') {
    return say(
      'every batch is padded beyond all rows, which costs memory and time. With {0} nothing is cut.',
      grouped(longest),
    );
  }
  const [at, own] = [estimate?.devices[0], byData?.devices[0]];
  return at && own
    ? say(
        'with these data the run takes about {0}, and with rows as long as the limit {1}. A limit of {2} cuts nothing, and makes sure of it.',
        formatBytes(own.device.expected),
        formatBytes(at.device.expected),
        grouped(longest),
      )
    : say(
        'memory is that of the longest batch. A limit of {0} cuts nothing, and makes sure of it.',
        grouped(longest),
      );
}
