import assert from 'node:assert/strict';
import type { Behavior } from '../../../src/core/memory/frameworks/behavior/behavior';
import { weightFormat } from '../../../src/core/memory/quantization';
import { KV_CACHE, LOGITS, WEIGHTS } from '../../../src/core/memory/terms';
import { judge } from '../core/support';
import { behaviorIn, peakOf, playedLlama } from './support';
import type { RunChanges } from './support';

/** Two rows of a small Llama: keys or values of a token take 512 bytes in each of its four layers. */
const LAYERS = 4;
const PER_TOKEN = 512;
const WHOLE = 2 * LAYERS * PER_TOKEN;

const PROMPT = 64;
const GENERATED = 32;

const generating = (changes: RunChanges = {}) =>
  playedLlama({
    task: 'infer',
    optimizer: null,
    tokens: PROMPT,
    generated: GENERATED,
    logitsToKeep: 1,
    ...changes,
  });

const ofRelease = (version: string): Behavior =>
  behaviorIn({ id: 'transformers', name: 'transformers', version, libraries: {}, stated: true });

describe('memory: generation', () => {
  const last = PROMPT + GENERATED - 1;

  it('ends with the keys and values of all tokens but the last, plus one tensor that is being replaced', () => {
    const cache = peakOf(generating(), 'generation', KV_CACHE);
    assert.ok(cache >= (last - 1) * WHOLE, 'the cache before the last pass');
    assert.ok(cache <= last * WHOLE + last * PER_TOKEN, 'and one tensor twice');
  });

  it('holds two caches where each pass makes a new tuple of all layers', () => {
    const cache = peakOf(generating({ behavior: ofRelease('4.35.0') }), 'generation', KV_CACHE);
    assert.equal(cache, (last + last - 1) * WHOLE);
  });

  it('keeps logits of the prompt beside the first pass where releases did', () => {
    const all = { behavior: ofRelease('4.40.1'), logitsToKeep: null, generated: 2 };
    const kept = peakOf(generating(all), 'generation', LOGITS);
    // For 2 × 64 tokens in fp32, to which this release widens them.
    assert.ok(kept >= 2 * PROMPT * 1024 * 4);
    assert.ok(peakOf(generating({ generated: 2 }), 'generation', LOGITS) < kept / 8);
  });

  it('takes all of a static cache at once, and no more later', () => {
    for (const phase of ['forward', 'generation'] as const) {
      const played = generating({ staticCache: { room: 'all', sees: 'room' } });
      assert.equal(peakOf(played, phase, KV_CACHE), (PROMPT + GENERATED) * WHOLE, phase);
    }
  });

  it('halves a cache in 8 bits', () => {
    const fixed = { staticCache: { room: 'all', sees: 'room' } } as const;
    const narrow = generating({ ...fixed, cacheDtype: 'uint8' });
    assert.equal(peakOf(narrow, 'forward', KV_CACHE), ((PROMPT + GENERATED) * WHOLE) / 2);
  });

  it('costs no weights again', () => {
    const played = generating();
    assert.equal(peakOf(played, 'generation', WEIGHTS), peakOf(played, 'load', WEIGHTS));
  });

  it('is as much as the prompt takes where nothing is kept', () => {
    assert.equal(peakOf(generating({ useCache: false }), 'generation', KV_CACHE), 0);
  });
});

describe('memory: generation by code that comes with the checkpoint', () => {
  it('caches the heads of keys and values, and makes logits of the last token only (ChatGLM)', async () => {
    const text = `model_name_or_path: THUDM/glm-4-9b-chat
torch_dtype: bfloat16
device_map: auto
max_input_length: 32000
max_new_tokens: 128
`;
    const { runs } = await judge({ 'infer.yaml': text }, 'A100 80GB');
    const terms = new Map(runs[0]?.estimate?.devices[0]?.terms.map(({ term, bytes }) => [term, bytes]));
    // 40 layers, keys and values of two heads of 128, two bytes each; and one that is replaced.
    const cache = 32_128 * 40 * 2 * 2 * 128 * 2;
    const found = terms.get('kv cache') ?? 0;
    assert.ok(found > 0.98 * cache && found < 1.1 * cache, `${found / cache}`);
    assert.ok((terms.get('logits and loss') ?? 0) < 16 * 151_552);
  });
});

describe('memory: weights as inference uses them', () => {
  it('packs GPTQ and AWQ as their layers do', () => {
    const sum = (parts: readonly number[]): number => parts.reduce((all, part) => all + part, 0);
    // 4 bits per weight; per 128 of a column, an fp16 scale and a 4-bit zero point; GPTQ stores the group of each
    // row.
    const packed = 1024 * 512 * (0.5 + 2.5 / 128);
    assert.equal(sum(weightFormat('awq-4-128').parts(1024, 512)), packed);
    assert.equal(sum(weightFormat('gptq-4-128').parts(1024, 512)), packed + 512 * 4);
    assert.equal(sum(weightFormat('gptq-8-512').parts(1024, 512)), 1024 * (512 + 2 + 1) + 512 * 4);
    assert.equal(sum(weightFormat('fp8').parts(1024, 512)), 1024 * 512 + 8 * 4 * 4);
  });

  it('has one buffer for the largest weight under GPTQ in 4 bits, not one a layer', () => {
    const short = generating({ quantization: 'gptq-4-128', tokens: 1, generated: 1 });
    const plain = weightFormat('gptq-4-128');
    const linear = [
      [256, 256],
      [128, 256],
      [128, 256],
      [256, 256],
      [768, 256],
      [768, 256],
      [256, 768],
    ] as const;
    const rounded = (bytes: number): number => Math.ceil(bytes / 512) * 512;
    const packed = linear.flatMap(([o, i]) => plain.parts(o, i).map(rounded)).reduce((a, b) => a + b, 0);
    const others = 2 * 1024 * 256 * 2 + (2 * LAYERS + 1) * 512;
    assert.equal(peakOf(short, 'load', WEIGHTS), LAYERS * packed + others);
    const load = short.phases.find(({ phase }) => phase === 'load');
    assert.equal((load?.peak.bytes ?? 0) - (LAYERS * packed + others) - 1024, 768 * 256 * 2);
  });
});
