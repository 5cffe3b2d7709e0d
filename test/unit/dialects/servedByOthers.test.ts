import assert from 'node:assert/strict';
import { judge } from '../core/support';

describe('dialects: servers that charts, operators and other images start', () => {
  it('takes ranks of a chart’s own key, and the workers of an operator that starts Dynamo', async () => {
    const chart = `modelArtifacts: {uri: "hf://Qwen/Qwen3-32B"}
decode:
  parallelism: {tensor: 2}
  containers:
    - {name: vllm, image: "ghcr.io/llm-d/llm-d-cuda:v0.3.0", args: ["--max-model-len=32000"]}
`;
    const [run] = (await judge({ 'values.yaml': chart }, 'H100 SXM')).runs;
    assert.equal(run?.run.quantities.parallel.value?.tensor, 2);
    const graph = `apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: disagg}
spec:
  services:
    Frontend: {extraPodSpec: {mainContainer: {image: "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.6.0"}}}
    Decode:
      resources: {limits: {gpu: "2"}}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.6.0
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B, --tensor-parallel-size, "2"]
`;
    const { runs } = await judge({ 'graph.yaml': graph }, 'H100 SXM');
    assert.equal(runs.length, 1);
    assert.equal(runs[0]?.run.name, 'Decode');
    assert.equal(runs[0].run.quantities.model.value, 'Qwen/Qwen3-0.6B');
    assert.equal(runs[0].run.quantities.devices.value, 2);
  });

  it('counts the copies of SGLang’s attention among its ranks, and copies of the model beside them', async () => {
    const gpus = async (flags: string) => {
      const script = `python -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp 8 --dp 8 ${flags}\n`;
      return (await judge({ 'serve.sh': script }, 'H100 SXM')).runs[0]?.run.quantities.devices.value;
    };
    assert.equal(await gpus('--enable-dp-attention'), 8);
    assert.equal(await gpus(''), 64);
  });

  it('keeps each copy of SGLang’s attention whole, and cuts experts among all ranks', async () => {
    const served = async (flags: string) => {
      const script = `python -m sglang.launch_server --model-path Qwen/Qwen3-30B-A3B ${flags}\n`;
      const room = (await judge({ 'serve.sh': script }, 'H100 SXM')).runs[0]?.estimate?.devices[0]?.served;
      assert.ok(room, flags);
      return room;
    };
    const gib = 2 ** 30;
    const words = (151_936 * 2048 * 2) / gib;
    const experts = (48 * 128 * 3 * 2048 * 768 * 2) / gib;
    const attention = (48 * 2048 * 128 * (32 + 4 + 4 + 32) * 2) / gib;
    const [cut, copied] = [await served('--tp 2'), await served('--tp 2 --dp 2 --enable-dp-attention')];
    assert.ok(Math.abs(cut.weightsBytes / gib - (experts + attention + 2 * words) / 2) < 0.1);
    assert.ok(Math.abs(copied.weightsBytes / gib - (experts / 2 + attention + 1.5 * words)) < 0.1);
    const perToken = (room: typeof cut) => room.cacheBytes / room.tokens;
    assert.equal(Math.round(perToken(cut)), 48 * 2 * 128 * 2 * 2);
    assert.equal(Math.round(perToken(copied)), 48 * 4 * 128 * 2 * 2);
    assert.equal((await served('--tp 6 --context-length 4096')).refusal, 'heads');
    assert.equal((await served('--tp 6 --dp 6 --context-length 4096 --enable-dp-attention')).refusal, null);
  });

  it('has the projections to latents whole on each rank, and copies of what they become', async () => {
    const weightsOf = async (command: string) =>
      (await judge({ 'serve.sh': `${command}\n` }, 'H200')).runs[0]?.estimate?.devices[0]?.served
        ?.weightsBytes;
    const [cut, copied] = [
      await weightsOf('python -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp 8'),
      await weightsOf('vllm serve deepseek-ai/DeepSeek-V3 --tensor-parallel-size 8'),
    ];
    // A rank's weights took 79.41 GiB before they were processed (HabanaAI/vllm-fork issue 809); then come the copies.
    const copies = (61 * 128 * (128 + 128) * 512 * 2) / 8;
    const expected = 79.41 * 2 ** 30 + copies;
    for (const bytes of [cut, copied]) assert.ok(Math.abs((bytes ?? 0) / expected - 1) < 0.01, String(bytes));
  });

  it('names the model of NVIDIA’s images, and no memory of an engine that nobody chose yet', async () => {
    const service = `services:
  nim: {image: "nvcr.io/nim/meta/llama-3.1-8b-instruct:1.8.0", gpus: all}
`;
    const { runs } = await judge({ 'compose.yaml': service }, 'H100 SXM');
    assert.equal(runs[0]?.run.quantities.model.value, 'meta/llama-3.1-8b-instruct');
    assert.equal(runs[0].estimate, null);
  });

  it('takes no request longer than the model where every layer has a window', async () => {
    const script = 'vllm serve mistralai/Mistral-7B-v0.1\n';
    const [run] = (await judge({ 'serve.sh': script }, 'H100 SXM')).runs;
    assert.equal(run?.estimate?.devices[0]?.served?.longest, 32_768);
  });

  it('starts what a variable names by default, and reads an option that names a program', async () => {
    const script = `BIN="\${SERVER:-llama-server}"
exec "$BIN" --model a/Llama-3.2-3B-Instruct-Q4_K_M.gguf --ctx-size 4096
`;
    const [run] = (await judge({ 'serve.sh': script }, 'H100 SXM')).runs;
    assert.equal(run?.run.quantities.seqLen.value, 4096);
    const service = `services:
  llm:
    image: vllm/vllm-openai:v0.9.2
    command: --model facebook/opt-6.7b --max-model-len 1024 --tool-parser-plugin /model/a.py
    gpus: all
`;
    const [served] = (await judge({ 'compose.yaml': service }, 'H100 SXM')).runs;
    assert.equal(served?.run.quantities.seqLen.value, 1024);
  });
});
