import assert from 'node:assert/strict';
import type { ServedExtras } from '../../../src/core/spec/values';
import { judge } from '../core/support';

/** What the only server of a file holds next to its model; null: nothing. */
async function extrasIn(name: string, text: string): Promise<ServedExtras | null> {
  const { runs } = await judge({ [name]: text }, 'H100 SXM');
  assert.equal(runs.length, 1, name);
  return runs[0]?.run.details.servedExtras?.value ?? null;
}

const MODEL = 'meta-llama/Llama-3.1-8B-Instruct';
const serve = (flags: string): Promise<ServedExtras | null> =>
  extrasIn('serve.sh', `vllm serve ${MODEL} --max-model-len 4096 ${flags}\n`);

const drafterOf = async (flags: string) => (await serve(flags))?.drafter ?? null;

describe('dialects: what vLLM holds next to its model', () => {
  it('is nothing by default', async () => {
    assert.equal(await serve(''), null);
    assert.equal(await serve('--max-lora-rank 64'), null, 'adapters are off');
    assert.equal(await serve('--swap-space 16'), null, 'takes nothing on the GPU');
  });

  it('is read from flags, YAML, Compose, Kubernetes and Python', async () => {
    const expected = { adapters: { slots: 4, rank: 32, isSharded: false }, drafter: null, offloadGiB: 0 };
    assert.deepEqual(await serve('--enable-lora --max-loras 4 --max-lora-rank 32'), expected);
    const yaml = `model: ${MODEL}\nmax-model-len: 4096\nenable-lora: true\nmax-loras: 4\nmax-lora-rank: 32\n`;
    assert.deepEqual(await extrasIn('serve.yaml', yaml), expected);
    const args = `["--model", "${MODEL}", "--enable-lora", "--max-loras=4", "--max-lora-rank=32"]`;
    const compose = `services:\n  llm:\n    image: vllm/vllm-openai:v0.11.0\n    command: ${args}\n    gpus: all\n`;
    assert.deepEqual(await extrasIn('compose.yaml', compose), expected);
    const pod = `apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: a
    image: vllm/vllm-openai:v0.11.0\n    args: ${args}\n    resources: {limits: {nvidia.com/gpu: 1}}\n`;
    assert.deepEqual(await extrasIn('pod.yaml', pod), expected);
    const python = `from vllm import LLM\nllm = LLM(model="${MODEL}", enable_lora=True, max_loras=4, max_lora_rank=32)\n`;
    assert.deepEqual(await extrasIn('serve.py', python), expected);
  });

  it('knows drafts by their method, or by their name', async () => {
    const by = (settings: object) => drafterOf(`--speculative-config '${JSON.stringify(settings)}'`);
    const draft = { model: 'meta-llama/Llama-3.2-1B-Instruct', num_speculative_tokens: 5 };
    assert.deepEqual(await by(draft), { kind: 'model', model: draft.model, tensorRanks: null });
    assert.equal((await by({ ...draft, draft_tensor_parallel_size: 1 }))?.tensorRanks, 1);
    assert.equal((await by({ method: 'eagle3', model: 'a/b' }))?.kind, 'eagle3');
    assert.equal((await by({ model: 'yuhuili/EAGLE-LLaMA3.1-Instruct-8B' }))?.kind, 'eagle');
    assert.equal((await by({ method: 'deepseek_mtp', num_speculative_tokens: 1 }))?.kind, 'mtp');
    assert.equal((await by({ method: 'medusa', model: 'a/b' }))?.kind, 'other');
    assert.equal(await by({ method: 'ngram', num_speculative_tokens: 4, prompt_lookup_max: 4 }), null);
    assert.equal(await by({ method: 'suffix' }), null);
    assert.equal((await drafterOf("--speculative-config 'not JSON'"))?.kind, 'other');
  });

  it('reads a map of settings, and the flags of former releases', async () => {
    const yaml = `model: ${MODEL}\nmax-model-len: 4096\nspeculative-config:\n  method: eagle3\n  model: a/b\n`;
    assert.equal((await extrasIn('serve.yaml', yaml))?.drafter?.kind, 'eagle3');
    const python = `from vllm import LLM\nllm = LLM(model="${MODEL}", speculative_config={"method": "eagle", "model": "a/b"})\n`;
    assert.equal((await extrasIn('serve.py', python))?.drafter?.kind, 'eagle');
    const former = await drafterOf('--speculative-model a/draft-1B --num-speculative-tokens 5');
    assert.deepEqual(former, { kind: 'model', model: 'a/draft-1B', tensorRanks: null });
    assert.equal(await drafterOf("--speculative-model '[ngram]' --num-speculative-tokens 5"), null);
  });

  it('reads that windows take no less', async () => {
    assert.equal((await serve('--disable-hybrid-kv-cache-manager'))?.ignoresWindows, true);
    assert.equal(await serve('--no-disable-hybrid-kv-cache-manager'), null);
  });

  it('reads that a connector which can’t tell kinds of layers apart makes windows take no less', async () => {
    const by = async (connector: object, release?: string, more = '') => {
      const flags = `--kv-transfer-config '${JSON.stringify(connector)}' ${more}`;
      const install = release === undefined ? '' : `pip install vllm==${release}\n`;
      const script = `${install}vllm serve ${MODEL} --max-model-len 4096 ${flags}\n`;
      return (await extrasIn('serve.sh', script))?.ignoresWindows === true;
    };
    const [lmcache, nixl] = ['LMCacheConnectorV1', 'NixlConnector'].map(kv_connector => ({
      kv_connector,
      kv_role: 'kv_both',
    }));
    assert.ok(lmcache && nixl);
    assert.equal(await by(lmcache), true);
    assert.equal(await by(nixl), false, 'tells them apart');
    assert.equal(await by(nixl, '0.21.0'), true, 'every connector did');
    assert.equal(await by(nixl, '0.21.0', '--no-disable-hybrid-kv-cache-manager'), false);
    const of = (connectors: readonly object[]) =>
      by({ kv_connector: 'MultiConnector', kv_connector_extra_config: { connectors } });
    assert.equal(await of([nixl, lmcache]), true, 'one of several');
    assert.equal(await of([nixl]), false);
    const events = `--kv-events-config '{"enable_kv_cache_events": true}'`;
    assert.equal(await serve(events), null);
    const old = `pip install vllm==0.11.0\nvllm serve ${MODEL} --max-model-len 4096 ${events}\n`;
    assert.equal((await extrasIn('serve.sh', old))?.ignoresWindows, true);
  });

  it('reads the weights that stay on the host', async () => {
    assert.equal((await serve('--cpu-offload-gb 12.5'))?.offloadGiB, 12.5);
    assert.equal(await serve('--cpu-offload-gb 0'), null);
  });
});
