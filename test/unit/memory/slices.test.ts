import assert from 'node:assert/strict';
import { RunQuestions } from '../../../src/core/memory/setup/questions';
import { ranksOfSlice, sliceOf } from '../../../src/core/memory/setup/sharding';
import { TERMS } from '../../../src/core/memory/terms';
import type { ParallelSettings } from '../../../src/core/spec/values';
import { statedRun } from '../../eval/accuracy/stated';
import { playedLlama, smallLlama } from './support';

const asked = (parallel: Partial<ParallelSettings>): RunQuestions => {
  const none = { tensor: 1, context: 1, pipeline: 1, expert: 1, dataShard: null, dataReplicate: null };
  const framework = { id: 'transformers' as const, name: 'transformers', version: null };
  return new RunQuestions(
    statedRun('cut', framework, { task: 'sft', parallel: { ...none, ...parallel } }, {}),
  );
};

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
