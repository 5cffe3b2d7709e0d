import assert from 'node:assert/strict';
import { frameworkIdOf } from '../../../src/core/spec/frameworkId';
import { phasesOnOneOf } from '../../../src/core/memory/estimateRun';
import type { MemoryRun } from '../../../src/core/memory/run';
import type { LoraPlan } from '../../../src/core/memory/adapterMethod';
import { STATES, WEIGHTS } from '../../../src/core/memory/terms';
import { behaviorIn, memoryRun, peakOf, playedLlama, smallLlama } from './support';

const LORA: LoraPlan = {
  r: 8,
  dropout: 0,
  targets: ['q_proj', 'v_proj'],
  experts: null,
  modulesToSave: [],
  dtype: 'bf16',
  method: null,
};

const { behavior } = memoryRun();
const { vocabSize, hiddenSize, intermediateSize } = smallLlama;

describe('memory: code of litgpt and Lightning', () => {
  const head = vocabSize * hiddenSize;
  const model = { ...smallLlama, vocabSize: 8 * intermediateSize };
  const wide = 8 * intermediateSize * hiddenSize;

  it('quantises the head, too: half a byte and a scale for 64', () => {
    const of = (quantizesHead: boolean): number => {
      const run = { task: 'infer', quantization: 'nf4', behavior: { ...behavior, quantizesHead } } as const;
      return peakOf(playedLlama(run), 'load', WEIGHTS);
    };
    assert.equal(of(false) - of(true), head * 2 - head / 2 - (head / 64) * 4);
  });

  it('dequantises into fp16 and casts from there: a head is there twice in 16 bits', () => {
    const of = (halves: boolean): number => {
      const changed: MemoryRun['behavior'] = { ...behavior, quantizesHead: true, unpacksToHalf: halves };
      const run = {
        task: 'infer',
        model,
        quantization: 'nf4',
        behavior: changed,
        rows: 1,
        tokens: 8,
      } as const;
      return peakOf(playedLlama(run), 'forward');
    };
    assert.ok(Math.abs(of(true) - of(false) - wide * 2) < wide / 10);
  });

  it('has bitsandbytes 0.42 where nobody says which; what 0.43 quantises keeps its dtype', () => {
    const of = (name: string, bitsandbytes?: string): boolean =>
      behaviorIn({
        id: frameworkIdOf(name),
        name,
        version: null,
        libraries: bitsandbytes === undefined ? {} : { bitsandbytes },
      }).unpacksToHalf;
    assert.deepEqual(
      [of('litgpt'), of('litgpt', '0.43.1'), of('trl'), of('trl', '0.42.0')],
      [true, false, false, true],
    );
  });

  it('keeps inputs of 4-bit products while the next model runs, where the last output has a name', () => {
    const grown = (keepsOutput: boolean): number => {
      const played = playedLlama({
        quantization: 'nf4',
        lora: LORA,
        behavior: { ...behavior, keepsQuantizedInputs: true, keepsOutput },
      });
      return peakOf(played, 'forward') - peakOf(played, 'optimizer step', STATES);
    };
    // A norm's output before query, key and value, attention's, another norm's, and the gate times up.
    const { rows, tokens } = memoryRun().batch;
    // Nothing before the first layer is trained, so that its first input needs no gradient.
    const widths = (3 * hiddenSize + intermediateSize) * smallLlama.layers - hiddenSize;
    const inputs = rows * tokens * widths * 2;
    assert.equal(grown(true) - grown(false), inputs);
  });

  it('names its output in releases of the package, whose scripts mix rows of all lengths', () => {
    const of = (version: string | null): boolean =>
      behaviorIn({ id: 'litgpt', name: 'litgpt', version }).keepsOutput;
    assert.deepEqual([of('0.5.13'), of(null)], [true, false]);
  });

  it('puts embedding and head on each of several devices in full', () => {
    const phases = playedLlama({ task: 'infer' }).phases;
    const on = (devices: number, spreadsBlocks: boolean): number => {
      const run = memoryRun({ task: 'infer', spread: devices, behavior: { ...behavior, spreadsBlocks } });
      const [load] = phasesOnOneOf(run, phases);
      return load?.peak.terms[WEIGHTS] ?? 0;
    };
    const [whole, ends] = [on(1, true), 2 * head * 2];
    assert.equal(on(4, false), whole / 4);
    assert.equal(on(4, true), ends + (whole - ends) / 4);
  });
});
