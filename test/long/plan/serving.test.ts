import assert from 'node:assert/strict';
import type { Plan, PlanOptions } from '../../../src/core/plan/plan';
import { engineShare } from '../../../src/core/plan/remedies/engineShare';
import { searchPlans } from '../../../src/core/plan/search';
import { applyEdits } from '../../../src/core/text/textEdit';
import { contextOf, judge } from '../../unit/core/support';

const FIT: PlanOptions = { goal: 'fit', margin: 0.85, mayTrade: true };

async function plansOf(text: string, gpu: string, options: Partial<PlanOptions> = {}) {
  const { runs } = await judge({ 'serve.yaml': text }, gpu);
  const [run] = runs;
  assert.ok(run);
  const pause = (): Promise<void> => Promise.resolve();
  const search = await searchPlans(contextOf(run, gpu), { ...FIT, ...options }, pause, { aborted: false });
  return { run, ...search };
}

const after = (text: string, plan: Plan): string =>
  applyEdits(
    text,
    plan.edits.map(({ edit }) => edit),
  );

const LLAMA = 'model: meta-llama/Llama-3.1-8B-Instruct\ndtype: bfloat16\n';

describe('plans for what is served', () => {
  it('shorten the longest request if the cache does not hold one, and state the cost', async () => {
    const text = `${LLAMA}gpu-memory-utilization: 0.92\n`;
    const { run, plans } = await plansOf(text, 'RTX 4090');
    assert.equal(run.verdict, 'exceeds');
    const shorter = plans.find(({ id }) => id.includes('served-length'));
    assert.ok(shorter);
    assert.match(shorter.effect, /refuses requests longer than \d+ tokens/);
    const { runs } = await judge({ 'serve.yaml': after(text, shorter) });
    const [read] = runs;
    assert.ok(read);
    assert.equal(read.estimate?.devices[0]?.device.expected, shorter.after.device.expected);
    assert.notEqual(read.verdict, 'exceeds');
  });

  it('shorten it no more than what the cache surely holds asks for', async () => {
    const { run, plans } = await plansOf(`${LLAMA}max-model-len: 131072\n`, 'RTX 3090');
    const held = run.estimate?.devices[0]?.served?.longest ?? 0;
    const shorter = plans.find(({ id }) => id === 'served-length');
    assert.ok(shorter);
    const length = Number(shorter.edits.find(({ path }) => path === 'max-model-len')?.to);
    assert.equal(shorter.after.verdict, 'fits');
    assert.ok(length < held && length > 0.9 * held, `${length} of ${held}`);
    // A little longer, and one start of twenty may have no room for it.
    const longer = `${LLAMA}max-model-len: ${Math.round(length * 1.03)}\n`;
    assert.equal((await judge({ 'serve.yaml': longer }, 'RTX 3090')).runs[0]?.verdict, 'tight');
  });

  it('keep the answers if they must stay the same', async () => {
    const { plans, rejected } = await plansOf(`${LLAMA}max-model-len: 131072\n`, 'RTX 4090', {
      mayTrade: false,
    });
    assert.ok(plans.every(({ price }) => price.quality === null));
    assert.ok(rejected.some(({ remedy }) => remedy === 'the longest request'));
  });

  it("take a smaller share if the GPU is nearly full, without our margin on top of the engine's", async () => {
    const { run, plans } = await plansOf(
      `${LLAMA}max-model-len: 8192\ngpu-memory-utilization: 0.97\n`,
      'RTX 4090',
    );
    assert.equal(run.verdict, 'tight');
    assert.equal(plans[0]?.after.verdict, 'fits');
    assert.match(plans[0].title, /gpu-memory-utilization 0\.97 → 0\.\d+/);
  });

  it('offer FP8 only on GPUs that compute in it', async () => {
    const text = `${LLAMA}gpu-memory-utilization: 0.92\n`;
    const of = async (gpu: string): Promise<string> => {
      const { plans, rejected } = await plansOf(text, gpu);
      return JSON.stringify([plans.map(({ title }) => title), rejected]);
    };
    assert.match(await of('RTX 4090'), /fp8/);
    assert.doesNotMatch(await of('RTX 3090'), /fp8|dtype of the KV cache/);
  });

  it('find the longest request that the cache holds', async () => {
    const { plans } = await plansOf(`${LLAMA}max-model-len: 4096\n`, 'A100 80GB', { goal: 'longest' });
    assert.match(plans[0]?.title ?? '', /max-model-len 4096 → 131072$/);
  });

  it('let the engine next to training sleep, or give it a share that holds a completion', async () => {
    const text = [
      'model_name_or_path: meta-llama/Llama-3.1-8B-Instruct\ndtype: bfloat16\nbf16: true\ntrainer: grpo',
      'use_vllm: true\nvllm_mode: colocate\nvllm_gpu_memory_utilization: 0.75\nuse_peft: true\nlora_r: 16',
      'attn_implementation: flash_attention_2\ngradient_checkpointing: true\nreward_funcs: [accuracy]',
      'per_device_train_batch_size: 4\nnum_generations: 4\nmax_completion_length: 512\nmax_prompt_length: 512\n',
    ].join('\n');
    const { run } = await plansOf(text, 'A100 80GB');
    assert.equal(run.verdict, 'exceeds');
    const options = engineShare.less(contextOf(run, 'A100 80GB')).map(({ changes }) => changes[0]);
    const shares = options.flatMap(one =>
      one && 'detail' in one && one.detail === 'memoryShare' ? one.to : [],
    );
    assert.ok(shares.length > 2 && shares.every(share => share * 80 > 15.5), String(shares));
    const { plans } = await plansOf(text, 'A100 80GB', { mayTrade: false });
    const kept = plans.map(({ title }) => title).join('\n');
    assert.match(kept, /vllm_enable_sleep_mode: true|vllm_gpu_memory_utilization 0\.75 → 0\.\d/);
    assert.ok(plans.every(({ after: { verdict } }) => verdict !== 'exceeds'));
  });

  it('do not mention losses', async () => {
    const { rejected } = await plansOf(`${LLAMA}max-model-len: 8192\n`, 'RTX 4090');
    assert.ok(!rejected.some(({ remedy }) => remedy === 'the loss kernel'));
  });

  it('change the keys of a program that starts the engine itself', async () => {
    const chat =
      'model_name_or_path: meta-llama/Llama-3.1-8B-Instruct\ntemplate: llama3\ninfer_backend: vllm\n';
    const { run, plans } = await plansOf(`${chat}vllm_gpu_util: 0.85\n`, 'RTX 4090');
    assert.equal(run.verdict, 'fits');
    const tooSmall = await plansOf(`${chat}vllm_gpu_util: 0.6\n`, 'RTX 4090');
    assert.equal(tooSmall.run.verdict, 'exceeds');
    assert.ok(
      tooSmall.plans.some(({ title }) => title.startsWith('vllm_gpu_util 0.6 → ')),
      titles(tooSmall),
    );
    assert.ok(!plans.some(({ title }) => /train|checkpoint|cutoff_len/.test(title)), titles({ plans }));
  });
});

const manifest = (args: string): string =>
  `apiVersion: apps/v1
kind: Deployment
metadata: {name: server}
spec:
  template:
    spec:
      containers:
      - name: server
        image: vllm/vllm-openai:v0.11.0
        command: ["python3", "-m", "vllm.entrypoints.openai.api_server"]
${args}
        resources: {limits: {nvidia.com/gpu: 1}}
`;

describe('a new flag in a list of arguments', () => {
  const block =
    '        args:\n        - --model=meta-llama/Llama-3.1-8B-Instruct\n        - --max-model-len=40000 # enough';
  const pairs =
    '        args:\n        - --model\n        - meta-llama/Llama-3.1-8B-Instruct\n        - --max-model-len\n        - "40000"';
  const flow = '        args: ["--model", "meta-llama/Llama-3.1-8B-Instruct", "--max-model-len", "40000"]';
  for (const [name, args, wanted] of [
    ['is an item of its own', block, /# enough\n {8}- --gpu-memory-utilization=0\.\d+\n/],
    ['is two where its neighbours are', pairs, /"40000"\n {8}- --gpu-memory-utilization\n {8}- "0\.\d+"\n/],
    ['keeps to a list in one line', flow, /"40000", "--gpu-memory-utilization", "0\.\d+"\]/],
  ] as const) {
    it(name, async () => {
      const text = manifest(args);
      const { plans } = await plansOf(text, 'RTX 4090');
      const [plan] = plans;
      assert.ok(plan);
      const written = after(text, plan);
      assert.match(written, wanted);
      const { runs } = await judge({ 'serve.yaml': written });
      assert.equal(runs[0]?.estimate?.devices[0]?.device.expected, plan.after.device.expected);
    });
  }
});

const titles = ({ plans }: { readonly plans: readonly Plan[] }): string =>
  plans.map(({ title }) => title).join('\n');
