import assert from 'node:assert/strict';
import type { Optimizer } from '../../../src/core/memory/optimizer';
import { adamwBf16, anyprecision, optimiLion } from '../../../src/core/memory/optimizers/bf16';
import { galoreAdamw, galoreAdamw8bit } from '../../../src/core/memory/optimizers/galore';
import { flashAdamw, flashAdamw32bit } from '../../../src/core/memory/optimizers/flashoptim';
import { muon } from '../../../src/core/memory/optimizers/muon';
import { soap } from '../../../src/core/memory/optimizers/soap';
import {
  cpuOffloadAdamw,
  torchaoAdamw,
  torchaoAdamw4bit,
  torchaoAdamw8bit,
  torchaoAdamwFp8,
  transformersAdamw4bit,
} from '../../../src/core/memory/optimizers/torchao';
import { Tape } from '../../../src/core/memory/tape';
import type { Element } from '../../../src/core/memory/tensor';
import { parameter } from './support';

type Shapes = readonly (readonly number[])[];

const ONE: Shapes = [[1024, 512]];
const TWO: Shapes = [...ONE, [512, 2048]];
const FOUR: Shapes = [...ONE, ...ONE, ...TWO];

/**
 * Results of the classes named in each optimizer's `source` on torch 2.15's fake tensors: bytes of the states, and
 * the most
 * besides them in the second step. GaLore and SOAP renewed their projections in it (update_proj_gap and
 * precondition_frequency of 1).
 */
const RUNS: readonly (readonly [Optimizer, Element, Shapes, states: number, temporary: number])[] = [
  [muon, 'bf16', ONE, 1_048_576, 4_194_304],
  [muon, 'fp32', TWO, 6_291_456, 9_437_184],
  [muon, 'bf16', FOUR, 5_242_880, 7_340_032],
  [soap, 'fp32', ONE, 14_680_064, 28_323_840],
  [soap, 'fp32', TWO, 58_720_256, 106_979_328],
  [soap, 'fp32', FOUR, 88_080_384, 106_979_328],
  [soap, 'fp32', [[1024]], 8192, 8192],
  [anyprecision, 'bf16', ONE, 4_194_304, 4_194_304],
  [anyprecision, 'fp32', TWO, 12_582_912, 10_485_760],
  [anyprecision, 'bf16', FOUR, 20_971_520, 10_485_760],
  [adamwBf16, 'bf16', ONE, 3_145_728, 5_242_880],
  [adamwBf16, 'bf16', FOUR, 15_728_640, 10_485_760],
  [optimiLion, 'bf16', TWO, 6_291_456, 3_145_728],
  [optimiLion, 'fp32', FOUR, 10_485_760, 10_485_760],
  [galoreAdamw, 'bf16', ONE, 655_360, 5_900_288],
  [galoreAdamw, 'fp32', ONE, 2_097_152, 5_767_168],
  [galoreAdamw, 'bf16', TWO, 1_835_008, 11_929_600],
  [galoreAdamw, 'fp32', TWO, 5_242_880, 11_534_336],
  [galoreAdamw, 'bf16', FOUR, 3_145_728, 11_929_600],
];

interface Options {
  readonly table?: boolean;
}

function stepped(optimizer: Optimizer, dtype: Element, shapes: Shapes, { table = false }: Options = {}) {
  const tape = new Tape();
  const parameters = shapes.map(shape => {
    const made = parameter(tape, shape, dtype);
    if (table) made.table = true;
    return made;
  });
  const before = tape.ledger.live;
  optimizer.step(tape, [{ times: 1, parameters }], true);
  const states = tape.ledger.live - before;
  tape.ledger.takePeak();
  optimizer.step(tape, [{ times: 1, parameters }], false);
  assert.equal(tape.ledger.live - before, states, 'later steps make none');
  return { states, temporary: tape.ledger.takePeak().bytes - before - states };
}

describe('memory: optimizers as their own code ran on fake tensors', () => {
  for (const [optimizer, dtype, shapes, states, temporary] of RUNS) {
    it(`${optimizer.title}, ${dtype}, ${shapes.map(shape => shape.join('×')).join(' ')}`, () => {
      assert.deepEqual(stepped(optimizer, dtype, shapes), { states, temporary });
    });
  }

  it('torchao keeps codes, scales and a table of values for each state, as its subclasses’ zeros() has them', () => {
    const n = 1024 * 512;
    const kept = (optimizer: Optimizer): number => stepped(optimizer, 'bf16', ONE).states / 2;
    assert.equal(kept(torchaoAdamw8bit), n + 2048 * 4 + 1024);
    assert.equal(kept(torchaoAdamw4bit), n / 2 + 4096 * 4 + 512);
    assert.equal(kept(transformersAdamw4bit), n / 2 + 2048 * 4 + 512, 'blocks of 256');
    assert.equal(kept(torchaoAdamwFp8), n + 2048 * 4);
    assert.equal(kept(torchaoAdamw), 2 * n);
    assert.equal(stepped(torchaoAdamw8bit, 'bf16', [[2048]]).states, 2 * 2 * 2048, 'small ones as they are');
  });

  it('FlashAdamW keeps two bytes, two scales for 32 weights, and what its masters have beyond 16 bits', () => {
    const n = 1024 * 512;
    const moments = 2 * (n + (n / 32) * 2);
    assert.equal(stepped(flashAdamw, 'bf16', ONE).states, moments + n);
    assert.equal(stepped(flashAdamw32bit, 'bf16', ONE).states, moments + 2 * n);
    assert.equal(
      stepped(flashAdamw32bit, 'fp32', ONE).states,
      moments,
      'weights of 32 bits are their own masters',
    );
  });

  it('torchao’s offloading keeps what is smaller than 4,096 on the device', () => {
    assert.equal(stepped(cpuOffloadAdamw, 'bf16', ONE).states, 0);
    assert.equal(stepped(cpuOffloadAdamw, 'bf16', [[2048]]).states, 512 + 2 * 2 * 2048);
  });

  it('GaLore in 8 bits keeps a byte and a scale for 256 of what is projected', () => {
    const small = 128 * 1024;
    const states = 2 * (small + (small / 256) * 4) + 128 * 512 * 2;
    assert.equal(stepped(galoreAdamw8bit, 'bf16', ONE).states, states);
  });

  it('Muon and GaLore leave embeddings and heads to AdamW', () => {
    for (const optimizer of [muon, galoreAdamw]) {
      const { states, temporary } = stepped(optimizer, 'fp32', ONE, { table: true });
      assert.deepEqual({ states, temporary }, { states: 4_194_304, temporary: 4_194_304 });
    }
  });
});
