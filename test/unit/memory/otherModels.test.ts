import assert from 'node:assert/strict';
import { frameworkIdOf } from '../../../src/core/spec/frameworkId';
import { llama } from '../../../src/core/memory/architectures/llama';
import type { LossCode } from '../../../src/core/memory/frameworks/behavior/behavior';
import { taskLossOf } from '../../../src/core/memory/frameworks/behavior/lossCode';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import { klDivergence, logSumExpOfTwo } from '../../../src/core/memory/ops/loss';
import { KV_CACHE, LOGITS } from '../../../src/core/memory/terms';
import { play } from '../../../src/core/memory/timeline';
import { statedRun } from '../../eval/accuracy/stated';
import { costOf, memoryRun, modelOf, peakOf, playedLlama, smallLlama, trainedIn } from './support';
import type { RunChanges } from './support';

const withLoss = (loss: LossCode): RunChanges => ({ behavior: { ...memoryRun().behavior, loss } });

describe('memory: distillation', () => {
  const model = modelOf({
    model_type: 'llama',
    hidden_size: 256,
    intermediate_size: 512,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    vocab_size: 8192,
    tie_word_embeddings: false,
  });
  const run = memoryRun({ model, tokens: 256, ...withLoss({ kind: 'distillation' }) });
  const played = play(llama, run);

  // trl 1.16, generalized_jsd_loss on fake tensors with all tokens labeled; two scalars are not counted.
  it('takes what the divergence of TRL takes', () => {
    assert.equal(peakOf(played, 'forward'), 185_480_704 - 1024);
    assert.equal(peakOf(played, 'backward'), 143_635_968);
    assert.equal(peakOf(played, 'optimizer step'), 53_757_440);
  });

  const BF16 = 4096 * 2;

  it('keeps of two logarithms the stack and their sum', () => {
    const cost = costOf((tape, x) => logSumExpOfTwo(tape, x, tape.like(x)));
    assert.equal(cost.kept, 2 * BF16);
    assert.equal(cost.backward, 6 * BF16);
  });

  it('keeps of a divergence the exponential of what has no gradient', () => {
    const cost = costOf((tape, x) => klDivergence(tape, x, tape.keep(tape.like(x))));
    assert.equal(cost.result, BF16);
    assert.ok(cost.kept >= BF16);
  });
});

describe('memory: PPO', () => {
  const policy = withLoss({ kind: 'policy', logits: 'in place' });
  const rollout = { by: 'model', rows: 2, scores: 0 } as const;
  const without = playedLlama({ ...policy, rollout });
  const beside = playedLlama({ ...policy, rollout, values: 'model' });
  const { vocabSize, hiddenSize } = smallLlama;

  // trl, ppo_trainer.py, PolicyAndValueWrapper: another model with a score head instead of the word head.
  it('trains a value model beside the policy', () => {
    assert.equal(trainedIn(beside), 2 * trainedIn(without) - (vocabSize - 1) * hiddenSize);
  });

  it('keeps the logits of all that is written until their log-probabilities are known', () => {
    const kept = playedLlama({ ...policy, rollout: { ...rollout, scores: 64 } });
    const more = peakOf(kept, 'generation', LOGITS) - peakOf(without, 'generation', LOGITS);
    assert.equal(more, 64 * vocabSize * 4);
    assert.equal(peakOf(kept, 'generation', KV_CACHE), peakOf(without, 'generation', KV_CACHE));
  });

  it('has losses of its own in each framework', () => {
    const loss = (name: string, task: string) =>
      taskLossOf({ id: frameworkIdOf(name), name, version: null }, task);
    assert.deepEqual(loss('trl', 'ppo'), { kind: 'policy', logits: 'in place' });
    assert.deepEqual(loss('llamafactory', 'ppo'), { kind: 'policy', logits: 'copies' });
    assert.deepEqual(loss('trl', 'online_dpo'), { kind: 'log-probabilities', selective: false });
    assert.equal(loss('trl', 'sft'), null);
  });
});

describe('memory: models beside the trained one', () => {
  const estimated = (otherModels: readonly { role: 'teacher' | 'reward'; model: string | null }[]) =>
    estimateRun(
      statedRun(
        'run',
        { id: 'trl', name: 'trl', version: '1.16.0', libraries: { transformers: '5.23.0' } },
        {
          model: 'small',
          task: 'gkd',
          method: 'full',
          microBatchSize: 1,
          seqLen: 64,
          loadDtype: 'bf16',
          optimizer: 'adamw_torch',
          gpus: 1,
        },
        { paddedRows: false, otherModels },
      ),
      smallLlama,
      null,
    );
  const weights = (result: ReturnType<typeof estimated>): number => {
    assert.ok(result.ok);
    const phase = result.estimate.devices[0]?.phases.find(one => one.phase === 'load');
    return phase?.bytes ?? 0;
  };

  it('have weights of the size in their names', () => {
    const more =
      weights(estimated([{ role: 'teacher', model: 'org/teacher-0.5B' }])) - weights(estimated([]));
    assert.equal(more, 1e9);
  });

  it('are missing where a teacher is of no known size; a reward is taken to be as large as the policy', () => {
    const unknown = estimated([{ role: 'teacher', model: 'org/teacher' }]);
    assert.ok(!unknown.ok);
    assert.deepEqual(unknown.missing, ['the size of the teacher org/teacher']);
    const same = weights(estimated([{ role: 'reward', model: 'org/reward' }])) - weights(estimated([]));
    const all = smallLlama.parameters?.total ?? 0;
    assert.ok(Math.abs(same - 2 * all) < 512);
  });
});

describe('memory: process rewards', () => {
  // trl, prm_trainer.py: AutoModelForTokenClassification with two labels.
  it('score every token twice, and have no logits of words', () => {
    const scored = playedLlama({ head: 'token-classification' });
    const { vocabSize, hiddenSize } = smallLlama;
    assert.equal(trainedIn(scored), trainedIn(playedLlama()) - (vocabSize - 2) * hiddenSize + 2);
    assert.ok(peakOf(scored, 'forward') < peakOf(playedLlama(), 'forward'));
  });
});
