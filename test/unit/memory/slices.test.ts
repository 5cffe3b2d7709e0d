import assert from 'node:assert/strict';
import { RunQuestions } from '../../../src/core/memory/setup/questions';
import { ranksOfSlice, sliceOf } from '../../../src/core/memory/setup/sharding';
import { TERMS } from '../../../src/core/memory/terms';
import type { ParallelSettings } from '../../../src/core/spec/values';
import { statedRun } from '../../eval/accuracy/stated';
import { judged } from '../core/support';
import { playedLlama, smallLlama } from './support';

const asked = (parallel: Partial<ParallelSettings>): RunQuestions => {
  const none = { tensor: 1, context: 1, pipeline: 1, expert: 1, dataShard: null, dataReplicate: null };
  const framework = { id: 'transformers' as const, name: 'transformers', version: null };
  return new RunQuestions(
    statedRun('cut', framework, { task: 'sft', parallel: { ...none, ...parallel } }, {}),
  );
};

/** Bytes that each of 8 GPUs holds of a model in 16 bits, for degrees of parallelism. */
async function held(
  model: string,
  degrees: Readonly<Record<string, number>>,
): Promise<Readonly<Record<'weights' | 'gradients' | 'states', number>>> {
  const { estimate } = await judged(
    `recipe: TrainFinetuneRecipeForNextTokenPrediction
step_scheduler: { global_batch_size: 32, local_batch_size: 4 }
dist_env: { backend: nccl }
model:
  _target_: nemo_automodel.NeMoAutoModelForCausalLM.from_pretrained
  pretrained_model_name_or_path: ${model}
  torch_dtype: bfloat16
distributed: ${JSON.stringify({ strategy: 'fsdp2', ...degrees })}
packed_sequence: { packed_sequence_size: 1024 }
optimizer: { _target_: torch.optim.AdamW }
ci: { nodes: 1 }
`,
    'H100 80GB',
  );
  const terms = estimate?.devices[0]?.terms ?? [];
  const bytesOf = (name: string): number => terms.find(({ term }) => term === name)?.bytes ?? Number.NaN;
  return {
    weights: bytesOf('weights'),
    gradients: bytesOf('gradients'),
    states: bytesOf('optimizer states'),
  };
}

const near = (actual: number, wanted: number, share: number): void =>
  assert.ok(Math.abs(actual / wanted - 1) < share, `${actual} is not ${wanted}`);

describe('memory: slices of a model', () => {
  it('tensor parallelism cuts heads and the MLP, and nothing else', () => {
    const questions = asked({ tensor: 2 });
    const { heads, kvHeads, intermediateSize, hiddenSize, vocabSize, layers } = sliceOf(
      questions,
      smallLlama,
    );
    assert.deepEqual([heads, kvHeads, intermediateSize], [2, 1, 384]);
    assert.deepEqual([hiddenSize, vocabSize, layers], [256, 1024, 4]);
    assert.deepEqual(questions.missing, []);
  });

  it('ranks beyond the heads of keys have one each', () => {
    assert.equal(sliceOf(asked({ tensor: 4 }), smallLlama).kvHeads, 1);
  });

  it('a width that ranks cannot share is a missing fact', () => {
    const questions = asked({ tensor: 3 });
    sliceOf(questions, smallLlama);
    assert.equal(questions.missing.length, 1);
  });

  it('expert parallelism cuts experts, where there are any', () => {
    assert.equal(sliceOf(asked({ expert: 4 }), { ...smallLlama, experts: 8 }).experts, 2);
    const questions = asked({ expert: 4 });
    sliceOf(questions, smallLlama);
    assert.equal(questions.missing.length, 1);
  });

  it('experts that ranks share out are not cut again with the rest', async () => {
    for (const experts of [1, 4, 8]) {
      const { weights, states } = await held('Qwen/Qwen3-30B-A3B', { ep_size: experts });
      // 30.5 B parameters in 16 bits, and two states of each, on 8 GPUs.
      near(weights, (30.53e9 * 2) / 8, 0.01);
      near(states, (30.53e9 * 4) / 8, 0.01);
    }
  });

  it("a pipeline's stages share layers with experts", async () => {
    const { weights, states } = await held('deepseek-ai/DeepSeek-V3', { pp_size: 4, ep_size: 2 });
    // 671 B parameters on 8 GPUs; a stage has 14 or 15 of 58 layers with experts, each of 11.5 B.
    near(weights, (671e9 * 2) / 8, 0.05);
    near(states, (671e9 * 4) / 8, 0.05);
  });

  it('the gradients of shared-out experts exist once for all micro-batches of a pipeline', async () => {
    const { weights, gradients } = await held('deepseek-ai/DeepSeek-V3', { pp_size: 4, ep_size: 2 });
    near(gradients, weights, 0.1);
  });

  it('what is left of the GPUs is data parallel', () => {
    assert.equal(ranksOfSlice(asked({ tensor: 2, context: 2 }), 8), 4);
  });

  it('more tensor-parallel ranks never take more', () => {
    const peaks = [1, 2, 4].map(tensor => {
      const model = sliceOf(asked({ tensor }), smallLlama);
      return Math.max(...playedLlama({ model }).phases.map(({ peak }) => peak.bytes));
    });
    assert.deepEqual(
      peaks,
      peaks.toSorted((a, b) => b - a),
    );
  });

  it('context parallelism keeps the keys and values of the whole row', () => {
    const { phases } = playedLlama({ tokens: 64, context: 2 });
    const communication = phases[0]?.peak.terms[TERMS.indexOf('communication')];
    // Rows, tokens of all ranks, keys and values of two heads in 16 bits.
    assert.equal(communication, 2 * 128 * 2 * 2 * 64 * 2);
  });
});
