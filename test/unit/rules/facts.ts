import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { CatalogData } from '../../../src/core/data/rows';
import { GpuCatalog } from '../../../src/core/hardware/catalog';
import type { Target } from '../../../src/core/hardware/gpu';
import { parseTarget } from '../../../src/core/hardware/target';
import type { Bytes, DeviceEstimate, Estimate, Term, Verdict } from '../../../src/core/memory/estimate';
import { modelFromConfigJson } from '../../../src/core/models/fromConfig';
import type { ModelFacts } from '../../../src/core/models/model';

const GIB = 2 ** 30;

function modelOf(id: string, config: object): ModelFacts {
  const reading = modelFromConfigJson(id, JSON.stringify(config), 'config.json');
  assert.ok(reading.ok);
  return reading.model;
}

/** Llama-2-7B's shapes. */
export const llama = modelOf('NousResearch/Llama-2-7b-hf', {
  model_type: 'llama',
  hidden_size: 4096,
  intermediate_size: 11008,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  vocab_size: 32000,
  max_position_embeddings: 4096,
  tie_word_embeddings: false,
});

/** BERT's, with a learned table of 512 positions. */
export const bert = modelOf('google-bert/bert-base-uncased', {
  model_type: 'bert',
  hidden_size: 768,
  intermediate_size: 3072,
  num_hidden_layers: 12,
  num_attention_heads: 12,
  vocab_size: 30522,
  max_position_embeddings: 512,
  type_vocab_size: 2,
});

const catalog = new GpuCatalog(JSON.parse(readFileSync('src/core/data/gpus.json', 'utf8')) as CatalogData);

function targetOf(name: string): Target {
  const reading = parseTarget(name, catalog, { count: null, nodes: 1 });
  assert.ok(reading.ok);
  return reading.target;
}

export const rtx4090 = targetOf('RTX 4090');
export const v100 = targetOf('V100 16GB');

const bytes = (gib: number, spread: number): Bytes => ({
  low: gib * (1 - spread) * GIB,
  expected: gib * GIB,
  high: gib * (1 + spread) * GIB,
});

/** An estimate of the given GiB on a 24 GiB card. */
export function estimateOf(verdict: Verdict, gib: number, spread = 0.1): Estimate {
  const terms: Term[] = [
    { term: 'activations', bytes: gib * 0.3 * GIB, formula: 'half', from: [] },
    { term: 'weights', bytes: gib * 0.6 * GIB, formula: 'most', from: [] },
    { term: 'cuda context', bytes: gib * 0.1 * GIB, formula: 'rest', from: [] },
  ];
  const device: DeviceEstimate = {
    name: 'RTX 4090',
    capacityBytes: 24 * GIB,
    usableBytes: 23.5 * GIB,
    device: bytes(gib, spread),
    reserved: bytes(gib, spread),
    allocated: bytes(gib, spread),
    verdict,
    peakPhase: 'backward',
    phases: [{ phase: 'backward', bytes: gib * GIB }],
    terms,
  };
  return { devices: [device], host: null, notCounted: [], assumptions: [] };
}
