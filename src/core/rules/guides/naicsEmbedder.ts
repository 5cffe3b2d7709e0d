import { formatBytes, formatShare } from '../../units';
import { numberOf } from '../raw';
import type { Rule } from '../rule';
import { is, quoted, setKey, when } from '../when';

// What naics-embedder and its training-memory guide recommend, for configs of that project only.

const GUIDE: readonly string[] = ['guide-training'];

const ACCUMULATION = 'training.trainer.accumulate_grad_batches';

/** The guide's range for contrastive learning. */
const LEAST = 256;
const MOST = 512;

export const contrastiveBatch: Rule = {
  id: 'contrastive-batch',
  severity: 'information',
  summary: 'The effective batch size is outside the 256–512 that naics-embedder recommends.',
  sources: [
    "training-memory guide, FAQ “What's the optimal effective batch size?” and “Maximize Training Quality”",
  ],
  dialects: GUIDE,
  check({ run }) {
    const { effectiveBatch, microBatchSize, gradAccum, gpus } = run.quantities;
    const batch = effectiveBatch.value;
    if (batch === null || (batch >= LEAST && batch <= MOST)) return [];
    const product = [microBatchSize, gradAccum, gpus].map(one => one.value);
    const sum = product.includes(null) ? '' : ` (${product.join(' × ')})`;
    const why = batch < LEAST ? 'smaller batches have noisier gradients' : 'larger batches help little';
    const message =
      `The effective batch size is ${batch}${sum}; naics-embedder's guide recommends ${LEAST}–${MOST} because ${why}. ` +
      'accumulate_grad_batches changes it without changing memory.';
    return [{ at: [ACCUMULATION, 'quantity:microBatchSize'], message }];
  },
};

export const ddpAccumulation: Rule = {
  id: 'ddp-accumulation',
  severity: 'information',
  summary: 'Several GPUs multiply the effective batch size: accumulate proportionally less.',
  sources: [
    'training-memory guide, FAQ “Can I train on multiple GPUs?”: reduce accumulate_grad_batches proportionally',
  ],
  dialects: GUIDE,
  check({ run }) {
    const { gpus, gradAccum, effectiveBatch } = run.quantities;
    const devices = gpus.value ?? 1;
    const steps = gradAccum.value ?? 1;
    const batch = effectiveBatch.value ?? 0;
    if (devices < 2 || steps < 2 || batch <= MOST) return [];
    const fewer = Math.max(1, Math.round(steps / devices));
    const message =
      `On ${devices} GPUs the effective batch size is ${batch}: each GPU processes its own batch_size. ` +
      `Accumulate ${fewer} instead of ${steps} steps, as naics-embedder's guide says, to get the batch size of one GPU, only faster.`;
    return [{ at: [ACCUMULATION, 'quantity:gpus'], message, remedies: [setKey(ACCUMULATION, fewer)] }];
  },
};

/** `safety_margin` of the guide's script. */
const MARGIN = 0.85;

export const guideMargin: Rule = {
  id: 'guide-margin',
  severity: 'information',
  summary: 'The run fits, but uses more than the 85 % that naics-embedder plans with.',
  sources: [
    'lowmason/naics-embedder e418955 scripts/optimize_gpu_config.py find_optimal_batch_size: safety_margin=0.85',
    'training-memory guide, “Use full GPU memory (80–90%)”',
  ],
  dialects: GUIDE,
  check({ estimate }) {
    const [device] = estimate?.devices ?? [];
    const capacity = device?.capacityBytes ?? null;
    if (!device || capacity === null || device.verdict !== 'fits') return [];
    if (device.device.expected <= capacity * MARGIN) return [];
    const message =
      `This run is expected to use ${formatBytes(device.device.expected)}, ${formatShare(device.device.expected / capacity)} of the GPU; naics-embedder plans with ${formatShare(MARGIN)}. ` +
      'Make batch_size 10–20 % smaller to keep that margin.';
    return [{ at: ['quantity:microBatchSize'], message }];
  },
};

/** What the guide recommends for the first stage where memory allows it. */
const RECOMMENDED = 32;

export const moreNegativesFit: Rule = {
  id: 'more-negatives-fit',
  severity: 'hint',
  summary: 'There is memory for the 32 negatives that naics-embedder recommends in the first stage.',
  sources: [
    'training-memory guide, “Maximize Training Quality”: if memory allows, n_negatives=32 for stage 01',
  ],
  dialects: GUIDE,
  check(context) {
    const { estimate, run } = context;
    const negatives = numberOf(context, 'n_negatives');
    const [device] = estimate?.devices ?? [];
    if (!/^0?1(?:\D|$)/.test(run.name) || negatives === null || negatives >= RECOMMENDED) return [];
    // Everything grows with the sequences at most in proportion: an upper bound that still fits is safe.
    const growth = (2 + RECOMMENDED) / (2 + negatives);
    if (!device?.usableBytes || device.device.high * growth > device.usableBytes * MARGIN) return [];
    const message =
      `${quoted(context, 'n_negatives')} leaves memory for the ${RECOMMENDED} that naics-embedder's guide recommends in the first stage: harder examples, better contrast. ` +
      'Later stages need fewer.';
    return [{ at: ['n_negatives'], message, remedies: [setKey('n_negatives', RECOMMENDED)] }];
  },
};

export const negativesDriveMemory: Rule = {
  id: 'negatives-drive-memory',
  severity: 'information',
  summary: 'The stage is short of memory because of its negatives.',
  sources: [
    'training-memory guide, “OOM Error”: reduce negatives in early stages',
    'lowmason/naics-embedder e418955 scripts/optimize_gpu_config.py: batch_size × (1 + 1 + n_negatives) sequences',
  ],
  dialects: GUIDE,
  check(context) {
    const { estimate, run } = context;
    const negatives = numberOf(context, 'n_negatives');
    const short = estimate?.devices.some(({ verdict }) => verdict === 'exceeds' || verdict === 'tight');
    if (!short || negatives === null || negatives < 2) return [];
    const fewer = Math.floor(negatives / 2);
    const stage = run.name === '' ? '' : ` in ${run.name}`;
    const message =
      `In naics-embedder, ${quoted(context, 'n_negatives')}${stage} makes every sample ${2 + negatives} sequences; ${fewer} negatives make it ${2 + fewer}. ` +
      'Unlike a smaller batch_size, this changes the task: fewer negatives are easier to tell apart.';
    return [{ at: ['n_negatives'], message, remedies: [setKey('n_negatives', fewer)] }];
  },
};

const PADDING = 'data_loader.tokenization.padding';

export const paddingLongest: Rule = {
  id: 'padding-longest',
  severity: 'hint',
  summary: 'Padding to the longest text of a batch makes memory vary between steps.',
  sources: ['training-memory guide, “Inconsistent Memory Usage”: padding: max_length, not longest'],
  dialects: GUIDE,
  check: when([is(PADDING, 'longest')], quote => ({
    at: [PADDING],
    message:
      `With ${quote(PADDING)}, naics-embedder makes a batch as long as its longest text: memory varies from step to step and can run out late. ` +
      'With max_length, every step needs the same memory.',
    remedies: [setKey(PADDING, 'max_length')],
  })),
};

/** The largest value the guide itself sets; more is taken for an attempt to use memory. */
const USUAL = 32;

export const positivesCostNoMemory: Rule = {
  id: 'positives-cost-no-memory',
  severity: 'information',
  summary: '`n_positives` does not change memory: it adds samples, not batch size.',
  sources: [
    'lowmason/naics-embedder e418955 data_loader/streaming_dataset.py L205: n_positives rows per anchor, each a sample of its own',
    'the same, data_loader/datamodule.py L43: a sample holds an anchor, one positive and n_negatives negatives',
  ],
  dialects: GUIDE,
  check(context) {
    const positives = numberOf(context, 'n_positives');
    if (positives === null || positives <= USUAL) return [];
    const message =
      `${quoted(context, 'n_positives')} does not change memory: naics-embedder makes each positive a separate sample, and an epoch gets longer. ` +
      'Memory follows batch_size × (2 + n_negatives).';
    return [{ at: ['n_positives'], message }];
  },
};
