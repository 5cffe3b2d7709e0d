import assert from 'node:assert/strict';
import { releaseChanges } from '../../../src/core/rules/releaseMemory';
import { judge } from '../core/support';

async function judgedWith(config: Readonly<Record<string, string>>, pin: string, gpu: string | null) {
  const { runs } = await judge({ ...config, 'requirements.txt': `${pin}\n` }, gpu);
  return runs[0] ?? assert.fail();
}

const serve = (flags: string): Readonly<Record<string, string>> => ({ 'run.sh': `vllm serve ${flags}\n` });

const OWN = { rule: 'release-memory', severity: 'information' };

/** The rule's message for a run with a pin; null: it says nothing. */
async function told(config: Readonly<Record<string, string>>, pin: string): Promise<string | null> {
  const { findings } = await judgedWith(config, pin, null);
  return (
    findings.find(({ rule, severity }) => rule === OWN.rule && severity === OWN.severity)?.message ?? null
  );
}

const sft = (lines: string): Readonly<Record<string, string>> => ({
  'config.yaml': `model_name_or_path: ${lines}\nper_device_train_batch_size: 1\noutput_dir: out\n`,
});
const LLAMA = 'huggyllama/llama-7b\ndataset_name: a/b\nmax_length: 512\nuse_peft: true';

describe('release-memory', () => {
  it('says what a pinned release takes, and nothing of its neighbors', async () => {
    const gemma = serve('google/gemma-3-27b-pt');
    const llama = serve('meta-llama/Meta-Llama-3-8B');
    const cases: readonly (readonly [Readonly<Record<string, string>>, pin: string, says: RegExp | null])[] =
      [
        [gemma, 'vllm==0.21.0', /whole requests/],
        [llama, 'vllm==0.21.0', null],
        [llama, 'vllm==0.20.1', /CUDA graphs/],
        [llama, 'vllm==0.16.0', /sort the logits/],
        [llama, 'vllm==0.17.0', null],
        [llama, 'vllm>=0.8', null],
        [sft(LLAMA), 'transformers==4.38.2', /mask of all positions/],
        [sft(LLAMA), 'transformers==4.41.0', null],
        [sft(LLAMA), 'trl==0.7.4', /gradient_checkpointing/],
        [sft(LLAMA), 'trl==0.9.0', null],
        [llama, 'vllm==0.6.4.post1', /outside torch/],
        [llama, 'vllm==0.6.3', null],
        [sft(`${LLAMA}\nload_in_4bit: true`), 'bitsandbytes==0.43.1', /4-bit layers keep no input/],
        [sft(`${LLAMA}\nload_in_4bit: true`), 'bitsandbytes==0.43.2', null],
        [sft(LLAMA), 'bitsandbytes==0.43.1', null],
      ];
    for (const [config, pin, says] of cases) {
      const message = await told(config, pin);
      assert.equal(message !== null, says !== null, `${pin}: ${message}`);
      if (says) assert.match(message ?? '', says);
    }
  });

  it('says how much, where the memory model has the difference, and nothing where there is none', async () => {
    const flags = 'meta-llama/Meta-Llama-3-8B --max-model-len 8192';
    const says = async (config: Readonly<Record<string, string>>, pin: string): Promise<string> =>
      (await judgedWith(config, pin, 'H100 SXM')).findings.find(({ rule }) => rule === OWN.rule)?.message ??
      '';
    assert.match(
      await says(serve(flags), 'vllm==0.16.0'),
      /^With vllm 0\.17 this start has 2\.\d GB more for the cache: no logits are sorted\. Update/,
    );
    assert.equal(await says(serve(`${flags} --max-num-seqs 4`), 'vllm==0.16.0'), '');
    assert.equal(
      await says(serve(`${flags} --enforce-eager --gpu-memory-utilization 0.9`), 'vllm==0.20.0'),
      '',
    );
    const opt = {
      'config.yaml':
        'model_name_or_path: facebook/opt-350m\ndataset_name: a/b\nper_device_train_batch_size: 2\nmax_length: 2048\ngradient_checkpointing: false\noutput_dir: out\n',
    };
    assert.match(
      await says(opt, 'transformers==4.45.2'),
      /^With transformers 4\.46 this run needs \d+\.\d GB less: no scores are kept\. Update/,
    );
    assert.equal(await says(opt, 'transformers==4.46.3'), '');
  });

  it('recommends no release that leaves less for the cache', async () => {
    const gemma = serve('google/gemma-3-12b-it -tp 2 --max-model-len 16384 --max-num-seqs 4');
    const { findings } = await judgedWith(gemma, 'vllm==0.10.0', '2x RTX 4090');
    assert.deepEqual(
      findings.filter(({ rule }) => rule === OWN.rule),
      [],
    );
  });

  it('has fourteen changes, each with its release and a thread that has the numbers', () => {
    assert.equal(releaseChanges.length, 14);
    for (const { source, published, since, says, because, other, library } of releaseChanges) {
      const amount = library === 'vllm' ? 'start has 88.8 GB more for the cache' : 'run needs 88.8 GB less';
      const known = `With ${library} ${other} this ${amount}: ${because}.`;
      assert.ok(says.length <= 90 && (other === undefined || known.length <= 90), `${says}\n${known}`);
      assert.equal(because === undefined, other === undefined);
      assert.match(source, /^https:\/\/github\.com\/[\w-]+\/[\w-]+\/(?:issues|pull)\/\d+$/);
      assert.ok(published.length > 0 && /^\d/.test(since));
    }
  });
});

describe('published differences between releases', () => {
  /** Served by the estimate, in what the source counts. */
  async function servedBy(flags: string, pin: string, gpu: string) {
    const run = await judgedWith(serve(flags), pin, gpu);
    return run.estimate?.devices[0]?.served ?? assert.fail(pin);
  }
  const within = (own: number, published: number, limit: number): void =>
    assert.ok(Math.abs(own / published - 1) < limit, `${own} for ${published}`);

  it('are replayed: Gemma 4 in 0.20 and 0.21 of vLLM (issue 43308)', async () => {
    const flags = 'google/gemma-4-31B --quantization awq --gpu-memory-utilization 0.9';
    within((await servedBy(flags, 'vllm==0.20.0', 'A100 80GB')).tokens, 55_000, 0.01);
    within((await servedBy(flags, 'vllm==0.21.0', 'A100 80GB')).tokens, 525_000, 0.15);
  });

  it('are replayed: a request of Gemma 4 in 0.25.1 and 0.26 of vLLM (issue 49878)', async () => {
    const flags = 'google/gemma-4-31B --max-num-batched-tokens 32768 --max-model-len 262144';
    const request = async (pin: string) => {
      const { cacheBytes, sequences } = await servedBy(flags, pin, 'B200');
      return cacheBytes / sequences;
    };
    within(await request('vllm==0.25.1'), 45.79 * 2 ** 30, 0.01);
    within(await request('vllm==0.26.0'), 70.79 * 2 ** 30, 0.01);
  });

  it('are replayed: a 70B on eight RTX 4090 in 0.7.3 and 0.8.2 (issue 15617)', async () => {
    // 4.43 GB for 116,160 tokens are 40 KiB a token: 80 layers with one key-value head on each of 8 ranks.
    const flags =
      'deepseek-ai/DeepSeek-R1-Distill-Llama-70B --tensor-parallel-size 8 --max-model-len 116160 --gpu-memory-utilization 0.95';
    const before = await servedBy(flags, 'vllm==0.7.3', 'RTX 4090');
    assert.ok(before.sequences >= 1, `${before.tokens}`);
    const since = await servedBy(flags, 'vllm==0.8.2', 'RTX 4090');
    assert.ok(since.sequences < 1, `${since.tokens}`);
    within((since.cacheBytes / since.tokens) * 116_160, 4.43 * 2 ** 30, 0.01);
    within(since.cacheBytes, 3.48 * 2 ** 30, 0.15);
  });

  it('are replayed: a 32B in 4 bits on an A6000 in 0.6.4 (issue 10360)', async () => {
    const flags = 'Qwen/Qwen2.5-32B-Instruct-AWQ --max-model-len 4096 --enable-prefix-caching';
    within((await servedBy(flags, 'vllm==0.6.4.post1', 'RTX A6000')).cacheBytes, 22.74 * 2 ** 30, 0.05);
  });

  it('are replayed: longer promises with less and with more cache in 0.6.4 (issue 10517)', async () => {
    // Prompts are computed whole up to 32,768 tokens, and in parts where longer ones are promised.
    for (const [length, gib] of [
      [20_000, 3.81],
      [29_000, 2.89],
      [35_000, 0.9 * 23.58 - 15.05 - 0.35],
    ] as const) {
      const flags = `meta-llama/Llama-3.1-8B-Instruct --max-model-len ${length}`;
      const { cacheBytes, sequences } = await servedBy(flags, 'vllm==0.6.4.post1', 'RTX 3090');
      within(cacheBytes, gib * 2 ** 30, 0.15);
      assert.equal(sequences < 1, length === 29_000);
    }
  });

  it('are replayed: graphs out of the share, and the share that makes up for them (pull request 30515)', async () => {
    const flags = 'meta-llama/Meta-Llama-3-8B --gpu-memory-utilization';
    const before = await servedBy(`${flags} 0.7`, 'vllm==0.19.0', 'H100 SXM');
    const since = await servedBy(`${flags} 0.7`, 'vllm==0.20.0', 'H100 SXM');
    assert.ok(since.tokens < before.tokens);
    // CUDA sees 79.1 GiB of an H100.
    const share = 0.7 + (since.graphsBytes ?? 0) / (79.1 * 2 ** 30);
    within(
      (await servedBy(`${flags} ${share.toFixed(4)}`, 'vllm==0.20.0', 'H100 SXM')).tokens,
      before.tokens,
      0.01,
    );
  });
});
