import assert from 'node:assert/strict';
import { judge } from '../core/support';

/** Model, length, share, ranks and release of the only server in a file. */
async function served(name: string, text: string): Promise<readonly unknown[]> {
  const { runs } = await judge({ [name]: text }, 'H100 SXM');
  assert.equal(runs.length, 1, name);
  const { quantities, details, framework } = runs[0]?.run ?? assert.fail();
  return [
    quantities.model.value,
    quantities.seqLen.value,
    details.memoryShare?.value,
    quantities.parallel.value?.tensor ?? 1,
    framework.stated === true ? framework.version : null,
  ];
}

const MODEL = 'facebook/opt-6.7b';
const FLAGS = '--tensor-parallel-size 4 --max-model-len 2048 --gpu-memory-utilization 0.8';
const EXPECTED = [MODEL, 2048, 0.8, 4];

describe('dialects: images of vLLM by other names', () => {
  it("are servers if the image's name has the engine's", async () => {
    for (const image of [
      'someone/vllm-midm:v0.11.0',
      'vllm-serving:latest',
      'registry.local/vanilla-vllm:1',
    ]) {
      const run = `docker run -d --name vllm --gpus all -p 8000:8000 ${image} --model ${MODEL} ${FLAGS}\n`;
      assert.deepEqual((await served('run.sh', run)).slice(0, 4), EXPECTED, image);
    }
  });

  it('may name the program before its model', async () => {
    const run = `IMAGE="\${IMAGE:-someone/vanilla-vllm:v0.11.0}"
docker run -d --name vllm --gpus all \${IMAGE} \\\n  vllm serve ${MODEL} ${FLAGS}\n`;
    assert.deepEqual((await served('run.sh', run)).slice(0, 4), EXPECTED);
  });

  it('are no servers where they route, measure or ask', async () => {
    for (const image of ['vllm-router:v1', 'someone/vllm-bench:1']) {
      const { runs } = await judge(
        { 'run.sh': `docker run --gpus all ${image} --model ${MODEL} ${FLAGS}\n` },
        null,
      );
      assert.equal(runs.length, 0, image);
    }
  });

  it("read a chart's values with the model in a section of its own, and the release in the image's tag", async () => {
    const values = `model:
  repoId: ${MODEL}
image:
  repository: vllm/vllm-openai
  tag: "v0.19.0"
vllm:
  tensorParallelSize: 4
  maxModelLen: "2048"
  gpuMemoryUtilization: 0.80
  extraArgs: [--enforce-eager]
`;
    assert.deepEqual(await served('values.yaml', values), [...EXPECTED, '0.19.0']);
  });

  it('are enough beside one argument of the engine, in a section of its name', async () => {
    const length = async (image: string): Promise<unknown> => {
      const values = `${image}\nmodel: {name: ${MODEL}}\nvllm: {maxModelLen: 2048}\n`;
      const { runs } = await judge({ 'values.yaml': values }, 'H100 SXM');
      return runs[0]?.run.quantities.seqLen.value;
    };
    assert.equal(await length('image: {repository: vllm/vllm-openai, tag: v0.9.1}'), 2048);
    assert.equal(await length('image: vllm/vllm-openai:v0.9.1'), 2048);
    assert.equal(await length('image: {repository: me/web, tag: "1"}'), undefined);
  });

  it("count the GPUs of a chart's resources", async () => {
    const gpus = async (resources: string): Promise<unknown> => {
      const values = `model: {name: ${MODEL}, maxModelLen: 2048, gpuMemoryUtilization: "0.90"}\n${resources}`;
      const { runs } = await judge({ 'values.yaml': values }, 'H100 SXM');
      return runs[0]?.run.quantities.devices.value;
    };
    assert.equal(await gpus('resources: {limits: {nvidia.com/gpu: 1}}\n'), 1);
    assert.equal(await gpus('resources: {requests: {nvidia.com/gpu: "2"}}\n'), 2);
    assert.equal(await gpus(''), null);
  });

  it('read defaults of a recipe by their short names', async () => {
    const recipe = `model: ${MODEL}
defaults:
  tensor_parallel: 4
  gpu_memory_utilization: 0.8
  max_model_len: 2048
command: |
  vllm serve ${MODEL} --max-model-len {max_model_len} -tp {tensor_parallel}
`;
    assert.deepEqual((await served('recipe.yaml', recipe)).slice(0, 4), EXPECTED);
  });
});

describe('dialects: images that a Dockerfile builds', () => {
  const BASE =
    'FROM vllm/vllm-openai:v0.9.1\nCOPY --chmod=755 docker/start.sh /opt/\nENTRYPOINT ["/opt/start.sh"]\n';
  const GPU =
    'deploy: {resources: {reservations: {devices: [{driver: nvidia, count: 4, capabilities: [gpu]}]}}}';
  const listed = FLAGS.split(' ')
    .map(word => `"${word}"`)
    .join(', ');

  async function only(files: Readonly<Record<string, string>>): Promise<readonly unknown[]> {
    const { runs } = await judge(files, 'H100 SXM');
    assert.equal(runs.length, 1);
    const { quantities, details, framework } = runs[0]?.run ?? assert.fail();
    const { model, seqLen, parallel } = quantities;
    return [model.value, seqLen.value, details.memoryShare?.value, parallel.value?.tensor, framework.version];
  }

  it('start the script that is copied into them', async () => {
    const script = `#!/bin/bash\nexec vllm serve \${MODEL} ${FLAGS}\n`;
    const dockerfile = `${BASE}ENV MODEL=${MODEL}\n`;
    const read = await only({ Dockerfile: dockerfile, 'docker/start.sh': script });
    assert.deepEqual(read.slice(0, 4), EXPECTED);
  });

  it('hand a service’s command to it', async () => {
    const compose = `services:\n  llm:\n    build: {context: .}\n    command: ["${MODEL}", ${listed}]\n    ${GPU}\n`;
    const files = {
      'compose.yaml': compose,
      Dockerfile: BASE,
      'docker/start.sh': '#!/bin/bash\nexec vllm serve "$@"\n',
    };
    assert.deepEqual(await only(files), [...EXPECTED, '0.9.1']);
  });

  it('start the program of their base where they have none of their own', async () => {
    const compose = `services:\n  llm:\n    build: .\n    image: ours:1\n    command: ["--model", "${MODEL}", ${listed}]\n    ${GPU}\n`;
    const files = {
      'compose.yaml': compose,
      Dockerfile: 'FROM vllm/vllm-openai:v0.9.1\nRUN pip install boto3\n',
    };
    assert.deepEqual(await only(files), [...EXPECTED, '0.9.1']);
  });

  it('fill what they start with from their variables and those of the service', async () => {
    const dockerfile = `FROM nvidia/cuda:13.0.1-devel-ubuntu24.04
RUN python -m pip install --no-cache-dir \\
    vllm==0.11.0 \\
    fastapi
ENV VLLM_MODEL="a/b"
ENV VLLM_LEN=4096
CMD python3 -m vllm.entrypoints.openai.api_server --model \${VLLM_MODEL} --max-model-len \${VLLM_LEN}
`;
    const compose = `services:
  llm: {build: ., environment: {VLLM_MODEL: ${MODEL}}, gpus: all}
`;
    const { runs } = await judge({ 'compose.yaml': compose, Dockerfile: dockerfile }, 'H100 SXM');
    const { quantities, framework } = runs[0]?.run ?? assert.fail();
    assert.equal(quantities.model.value, MODEL);
    assert.equal(quantities.seqLen.value, 4096);
    assert.equal(framework.version, '0.11.0');
  });

  it('stay unknown if their script is of another stage', async () => {
    const dockerfile = BASE.replace('--chmod=755', '--from=build');
    const { runs } = await judge(
      { Dockerfile: dockerfile, 'docker/start.sh': `vllm serve ${MODEL}\n` },
      null,
    );
    assert.equal(runs.length, 0);
  });

  it('take flags as variables without a prefix, as RunPod’s worker does', async () => {
    const compose = `services:\n  worker:\n    image: runpod/worker-v1-vllm:v2.7.0\n    environment: {MODEL_NAME: ${MODEL}, MAX_MODEL_LEN: "2048", GPU_MEMORY_UTILIZATION: "0.8", TENSOR_PARALLEL_SIZE: "4"}\n    ${GPU}\n`;
    assert.deepEqual((await only({ 'compose.yaml': compose })).slice(0, 4), EXPECTED);
  });

  it('take the variables that a container engine hands to an image', async () => {
    const run = `docker run --gpus all -e MODEL_ID=${MODEL} -e NUM_SHARD=4 --env=MAX_TOTAL_TOKENS=2048 \\\n  ghcr.io/huggingface/text-generation-inference:2.4.0\n`;
    const { runs } = await judge({ 'run.sh': run }, 'H100 SXM');
    const { dialect, quantities } = runs[0]?.run ?? assert.fail();
    assert.deepEqual(
      [dialect, quantities.model.value, quantities.seqLen.value, quantities.parallel.value?.tensor],
      ['tgi', MODEL, 2048, 4],
    );
  });
});
