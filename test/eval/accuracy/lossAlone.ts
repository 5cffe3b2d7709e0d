import type { ModelFacts } from '../../../src/core/models/model';
import type { Architecture, Model } from '../../../src/core/memory/architecture';
import { fusedLinearLoss } from '../../../src/core/memory/blocks/loss/fused';
import { flag } from '../../../src/core/memory/configValues';
import type { Builder } from '../../../src/core/memory/modules';
import { linear } from '../../../src/core/memory/ops/linear';
import { inPlaceCrossEntropy, logSoftmax, nllLoss } from '../../../src/core/memory/ops/loss';
import type { MemoryRun } from '../../../src/core/memory/run';
import type { Tape } from '../../../src/core/memory/tape';
import { bytesPer } from '../../../src/core/memory/tensor';
import type { Tensor } from '../../../src/core/memory/tensor';

/**
 * Cross entropy alone, over random logits, or over random hidden states and a head (`with_head`): a common setup
 * for comparing kernels. The benchmarks create both candidates' heads, whichever of them runs.
 */
export const lossAlone: Architecture = {
  modelTypes: ['loss_alone'],
  source:
    'Liger-Kernel 0.8, benchmark/scripts/benchmark_cross_entropy.py, benchmark_fused_linear_cross_entropy.py',
  heads: ['causal-lm'],
  missing: () => [],
  build: (builder, run) => (flag(run.model, 'with_head') ? withHead(builder, run) : overLogits(builder, run)),
};

const isFused = ({ behavior }: MemoryRun): boolean => behavior.loss.kind === 'fused linear';

function overLogits(builder: Builder, run: MemoryRun): Model {
  const logits = builder.kernel([run.batch.rows * run.batch.tokens, run.model.vocabSize]);
  return (tape, { labels }) => {
    if (labels === null) return logits;
    return isFused(run) ? inPlaceCrossEntropy(tape, logits, labels, false) : plain(tape, logits, labels);
  };
}

function withHead(builder: Builder, run: MemoryRun): Model {
  const { vocabSize, hiddenSize }: ModelFacts = run.model;
  const head = builder.embedding('lm_head', vocabSize, hiddenSize);
  builder.buffer(vocabSize * hiddenSize * bytesPer(run.numbers.weightDtype));
  const hidden = builder.kernel([run.batch.rows * run.batch.tokens, hiddenSize]);
  return (tape, { labels }) => {
    if (labels === null) return hidden;
    if (isFused(run)) return fusedLinearLoss(tape, { hidden, head, labels, rows: 0 }, true);
    return plain(tape, linear(tape, hidden, head, null), labels);
  };
}

const plain = (tape: Tape, logits: Tensor, labels: Tensor): Tensor =>
  nllLoss(tape, logSoftmax(tape, logits), labels);
