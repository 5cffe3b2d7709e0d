import { formatBytes, formatShare, MIB } from '../../units';
import { numberOf } from '../raw';
import type { Rule } from '../rule';
import { is, quoted, setKey, when } from '../when';

// Recommendations of naics-embedder and its training-memory guide, for configs of that project only.

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
  check({ run, say }) {
    const { effectiveBatch, microBatchSize, gradAccum, gpus } = run.quantities;
    const batch = effectiveBatch.value;
    if (batch === null || (batch >= LEAST && batch <= MOST)) return [];
    const product = [microBatchSize, gradAccum, gpus].map(one => one.value);
    const sum = product.includes(null) ? '' : ` (${product.join(' × ')})`;
    const why =
      batch < LEAST ? say('Smaller batches have noisier gradients.') : say('Larger batches help little.');
    const message = say(
      "Effective batch size {0}{1}: naics-embedder's guide recommends {2}–{3}. {4} accumulate_grad_batches changes it without changing memory.",
      batch,
      sum,
      LEAST,
      MOST,
      why,
    );
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
  check({ run, say }) {
    const { gpus, gradAccum, effectiveBatch } = run.quantities;
    const devices = gpus.value ?? 1;
    const steps = gradAccum.value ?? 1;
    const batch = effectiveBatch.value ?? 0;
    if (devices < 2 || steps < 2 || batch <= MOST) return [];
    const fewer = Math.max(1, Math.round(steps / devices));
    const message = say(
      "On {0} GPUs the effective batch size is {1}: each GPU processes its own batch_size. Accumulate {2} instead of {3} steps, as naics-embedder's guide says, to get the batch size of one GPU, only faster.",
      devices,
      batch,
      fewer,
      steps,
    );
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
  check({ estimate, say }) {
    const [device] = estimate?.devices ?? [];
    const capacity = device?.capacityBytes ?? null;
    if (!device || capacity === null || device.verdict !== 'fits') return [];
    if (device.device.expected <= capacity * MARGIN) return [];
    const message = say(
      'Uses ≈ {0}, {1} of the GPU: naics-embedder plans with {2}. Make batch_size 10–20 % smaller to keep that margin.',
      formatBytes(device.device.expected),
      formatShare(device.device.expected / capacity),
      formatShare(MARGIN),
    );
    return [{ at: ['quantity:microBatchSize'], message }];
  },
};

/** The guide's recommendation for the first stage if memory allows it. */
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
    // Memory grows at most in proportion to the sequences: an upper bound that still fits is safe.
    const growth = (2 + RECOMMENDED) / (2 + negatives);
    if (!device?.usableBytes || device.device.high * growth > device.usableBytes * MARGIN) return [];
    const message = context.say(
      "{0} leaves memory for the {1} of naics-embedder's guide. More negatives in the first stage mean harder examples and better contrast. Later stages need fewer.",
      quoted(context, 'n_negatives'),
      RECOMMENDED,
    );
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
    const { say } = context;
    const key = quoted(context, 'n_negatives');
    const sizes = [2 + negatives, fewer, 2 + fewer];
    const message =
      run.name === ''
        ? say(
            '{0} makes each sample {1} sequences; {2} would make it {3}. Unlike a smaller batch_size, this changes the task: fewer negatives are easier to tell apart.',
            key,
            ...sizes,
          )
        : say(
            '{0} in {1} makes each sample {2} sequences; {3} would make it {4}. Unlike a smaller batch_size, this changes the task: fewer negatives are easier to tell apart.',
            key,
            run.name,
            ...sizes,
          );
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
  check: when([is(PADDING, 'longest')], (quote, { say }) => ({
    at: [PADDING],
    message: say(
      'With {0} memory varies from step to step and can run out late. A batch is as long as its longest text. With max_length, every step needs the same memory.',
      quote(PADDING),
    ),
    remedies: [setKey(PADDING, 'max_length')],
  })),
};

/** The largest value in the guide; a larger one is probably an attempt to use memory. */
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
    const message = context.say(
      '{0} does not change memory: each positive is a separate sample. An epoch gets longer. Memory follows batch_size × (2 + n_negatives).',
      quoted(context, 'n_positives'),
    );
    return [{ at: ['n_positives'], message }];
  },
};

/** The guide's script, in MB: weights, states, gradients and overhead; and each sequence of 512 tokens. */
const SCRIPT_MB = 2704;
const SCRIPT_MB_A_SEQUENCE = 15.04;

/** Anchor and positive. */
const ANCHOR_AND_POSITIVE = 2;

export const guideTableTooLow: Rule = {
  id: 'guide-table-too-low',
  severity: 'information',
  summary: "The memory that naics-embedder's guide gives for these settings is too low.",
  sources: [
    'training-memory guide, “Common GPU Configurations”: 19.8, 26.5, 33.9 and 51.5 GB at batch sizes of 45, 64, 82 and 128',
    'lowmason/naics-embedder e418955 scripts/optimize_gpu_config.py estimate_memory_usage: 25 % of activations, 15 MB for a sequence',
    "docs/described-models.md: a dry run of the guide's own encoder takes 52.7 GB at a batch size of 45",
  ],
  dialects: GUIDE,
  check(context) {
    const { estimate, run } = context;
    const [device] = estimate?.devices ?? [];
    const batch = run.quantities.microBatchSize.value;
    const negatives = numberOf(context, 'n_negatives');
    if (!device || batch === null || negatives === null || run.quantities.seqLen.value !== 512) return [];
    const sequences = batch * (ANCHOR_AND_POSITIVE + negatives);
    const guideBytes = (SCRIPT_MB + sequences * SCRIPT_MB_A_SEQUENCE) * MIB;
    const factor = device.device.expected / guideBytes;
    if (factor < TOO_LOW) return [];
    const message = context.say(
      "The run needs ≈ {0}, {1} times the {2} of naics-embedder's guide. A dry run of its encoder confirms the larger number: trade batch_size for accumulate_grad_batches.",
      formatBytes(device.device.expected),
      factor.toFixed(1),
      formatBytes(guideBytes),
    );
    return [{ at: ['quantity:microBatchSize'], message }];
  },
};

/** Smaller factors are within the difference of two ways of counting. */
const TOO_LOW = 2;
