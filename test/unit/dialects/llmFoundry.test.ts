import assert from 'node:assert/strict';
import type { RunAnalysis } from '../../../src/core/rules/analysis';
import { textOf } from '../../golden/configs';
import { judge } from '../core/support';

const MPT = textOf('mosaicml__llm-foundry/scripts/train/yamls/pretrain/mpt-7b.yaml');

/** The run of LLM Foundry's config for MPT, with other values of some keys or another line after one. */
async function mpt(changes: Readonly<Record<string, string>> = {}): Promise<RunAnalysis> {
  let text = MPT;
  for (const [key, value] of Object.entries(changes)) {
    const line = new RegExp(`^(\\s*${key}:).*$`, 'm');
    assert.match(text, line);
    text = text.replace(line, `$1 ${value}`);
  }
  const { runs } = await judge({ 'config.yaml': text }, 'H100');
  const [run] = runs;
  assert.ok(run && runs.length === 1);
  return run;
}

const heads = (attention: string): Readonly<Record<string, string>> => ({
  attn_impl: `flash\n    ${attention}`,
});

// scripts/train/benchmarking/README.md at 8c8dd48, column NumParams.
const PUBLISHED: readonly (readonly [
  width: number,
  heads: number,
  layers: number,
  tokens: number,
  parameters: number,
])[] = [
  [2048, 16, 24, 512, 1_312_804_864],
  [2048, 16, 24, 65_536, 1_445_974_016],
  [4096, 32, 32, 2048, 6_658_859_008],
  [4096, 32, 32, 32_768, 6_784_688_128],
  [5120, 40, 40, 2048, 12_853_954_560],
  [7168, 56, 48, 8192, 30_019_254_272],
];

describe('MPT of LLM Foundry', () => {
  for (const [width, count, layers, tokens, parameters] of PUBLISHED) {
    it(`has its published parameters: ${width} wide, ${tokens} tokens`, async () => {
      const { model } = await mpt({
        d_model: String(width),
        n_heads: String(count),
        n_layers: String(layers),
        max_seq_len: String(tokens),
      });
      assert.equal(model?.parameters?.total, parameters);
    });
  }

  it('needs memory, and more of it with a larger micro-batch', async () => {
    const need = ({ estimate }: RunAnalysis): number => estimate?.devices[0]?.allocated.expected ?? 0;
    const small = need(await mpt({ device_train_microbatch_size: '2' }));
    const large = need(await mpt({ device_train_microbatch_size: '4' }));
    assert.ok(small > 0 && large > small);
  });

  it('keeps more of its logits with the loss of torch', async () => {
    const logits = ({ estimate }: RunAnalysis): number =>
      estimate?.devices[0]?.terms.find(({ term }) => term === 'logits and loss')?.bytes ?? 0;
    const layers = { n_layers: '2' };
    const fused = logits(await mpt(layers));
    const own = logits(await mpt({ n_layers: '2\n  loss_fn: torch_crossentropy' }));
    assert.ok(fused > 0 && own > 1.2 * fused, `${own} and ${fused}`);
  });

  it('shares key heads where its attention does', async () => {
    const shared = await mpt(heads('attn_type: grouped_query_attention\n    kv_n_heads: 8'));
    assert.equal(shared.model?.kvHeads, 8);
    const one = await mpt(heads('attn_type: multiquery_attention'));
    assert.equal(one.model?.kvHeads, 1);
  });

  it('has no learned positions where it rotates, and no biases where it has none', async () => {
    const { model } = await mpt({
      n_layers: '32\n  no_bias: true',
      ...heads('rope: true'),
    });
    assert.deepEqual(
      [model?.positions, model?.positionRows, model?.norm, model?.qkvBias],
      ['rope', 0, 'layernorm-no-bias', false],
    );
  });

  for (const [what, changes] of [
    ['experts', { n_layers: '32\n  ffn_config:\n    ffn_type: mb_moe' }],
    ['norms of queries and keys', heads('qk_ln: true')],
    ['layers that differ', { n_layers: '32\n  block_overrides:\n    order:\n      - name: default' }],
    ['another norm', { n_layers: '32\n  norm_type: low_precision_rmsnorm' }],
    ['positions by ALiBi', heads('alibi: true')],
  ] as const) {
    it(`is unknown with ${what}`, async () => {
      const { estimate } = await mpt(changes);
      assert.equal(estimate, null);
    });
  }
});
