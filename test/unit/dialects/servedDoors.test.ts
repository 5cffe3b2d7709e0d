import assert from 'node:assert/strict';
import { analyze } from '../../../src/core/analyse/analyse';
import { target, worldWithModels, judge } from '../core/support';
import { applied, running } from './support';

const MODEL = 'Qwen/Qwen3-8B';
const FLAGS = '--max-model-len 40960 --gpu-memory-utilization 0.82';
const LISTED = `["--model=${MODEL}", "--max-model-len=40960", "--gpu-memory-utilization=0.82"]`;
const CALL = `model="${MODEL}", max_model_len=40960, gpu_memory_utilization=0.82`;

/** One server, as people write it for each of the things that start one. */
const DOORS: Readonly<Record<string, string>> = {
  'serve.sh': `#!/bin/sh\nvllm serve ${MODEL} ${FLAGS}\n`,
  'trl.sh': `#!/bin/sh\nCUDA_VISIBLE_DEVICES=0 trl vllm-serve --model ${MODEL} ${FLAGS}\n`,
  'wrapped.sh': `#!/bin/sh\ntaskset -c 0-15 vllm serve ${MODEL} ${FLAGS}\n`,
  'runner.sh': `#!/bin/sh\nROOT="$(cd "$(dirname "$0")/.." && pwd)"\nCUDA_VISIBLE_DEVICES=0 nohup uv run --with vllm vllm serve ${MODEL} ${FLAGS} &\n`,
  'conda.sh': `#!/bin/sh\nexec "$HOME/miniconda3/envs/llm/bin/python" -m vllm.entrypoints.openai.api_server --model ${MODEL} ${FLAGS}\n`,
  'id.sh': `#!/bin/sh\nID=$(docker run -d --gpus all vllm/vllm-openai:v0.19.0 --model ${MODEL} ${FLAGS})\n`,
  'create.sh': `#!/bin/sh\ndocker create --gpus all vllm/vllm-openai:v0.19.0 --model ${MODEL} ${FLAGS}\n`,
  'vllm.service': `[Service]\nEnvironment="HF_HOME=/data"\nExecStart=/opt/bin/vllm serve ${MODEL} ${FLAGS}\n`,
  'vllm.container': `[Container]\nImage=docker.io/vllm/vllm-openai:v0.19.0\nAddDevice=nvidia.com/gpu=all\nExec=--model ${MODEL} ${FLAGS}\n`,
  'supervisord.conf': `[program:vllm]\ncommand=vllm serve ${MODEL} ${FLAGS}\n`,
  Dockerfile: `FROM vllm/vllm-openai:v0.19.0\nENV HF_HOME=/data\nCMD ["--model", "${MODEL}", "--max-model-len", "40960", "--gpu-memory-utilization", "0.82"]\n`,
  'runner.Dockerfile': `FROM python:3.12\nCMD ["uv", "run", "vllm", "serve", "${MODEL}", "--max-model-len", "40960", "--gpu-memory-utilization", "0.82"]\n`,
  'shell.Dockerfile': `FROM vllm/vllm-openai:v0.19.0\nENV LENGTH="40960"\nENTRYPOINT ["sh", "-c", "python3 -m vllm.entrypoints.openai.api_server \\\n  --model ${MODEL} \\\n  --max-model-len 40960 --gpu-memory-utilization 0.82"]\n`,
  'values.yaml': `image: {repository: vllm/vllm-openai, tag: v0.19.0}\nvllmArgs: ${LISTED}\n`,
  'swap.yaml': `models:\n  qwen:\n    name: Qwen\n    cmd: |\n      vllm serve ${MODEL}\n      --port \${PORT} ${FLAGS}\n`,
  'compose.yaml': `services:\n  llm:\n    image: vllm/vllm-openai:v0.19.0\n    command: --model ${MODEL} ${FLAGS}\n    gpus: all\n`,
  'pod.yaml': `apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - name: llm\n      image: vllm/vllm-openai:v0.19.0\n      args: ${LISTED}\n      resources: {limits: {nvidia.com/gpu: 1}}\n`,
  'kserve.yaml': `apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: llm}\nspec:\n  predictor:\n    model:\n      modelFormat: {name: huggingface}\n      args: [--model_name=llm, --max-model-len=40960, --gpu-memory-utilization=0.82]\n      storageUri: hf://${MODEL}\n      resources: {limits: {nvidia.com/gpu: "1"}}\n`,
  'ray.yaml': `applications:\n- name: llm\n  import_path: ray.serve.llm:build_openai_app\n  args:\n    llm_config:\n      model_loading_config: {model_id: llm, model_source: ${MODEL}}\n      engine_kwargs: {max_model_len: 40960, gpu_memory_utilization: 0.82}\n`,
  'config.yaml': `model: ${MODEL}\nmax-model-len: 40960\ngpu-memory-utilization: 0.82\n`,
  'llm.py': `from vllm import LLM\nllm = LLM(${CALL})\nllm.generate("a")\n`,
  'engine.py': `from vllm import AsyncEngineArgs, AsyncLLMEngine\nargs = AsyncEngineArgs(${CALL})\nengine = AsyncLLMEngine.from_engine_args(args)\n`,
  'serve.py': `from ray.serve.llm import LLMConfig\nconfig = LLMConfig(\n    model_loading_config={"model_id": "llm", "model_source": "${MODEL}"},\n    engine_kwargs={"max_model_len": 40960, "gpu_memory_utilization": 0.82},\n)\n`,
  'start.py': `import subprocess\nMODEL = "${MODEL}"\ncmd = ["vllm", "serve", MODEL, "--port", str(8000)]\ncmd += ["--max-model-len", "40960"]\ncmd.extend(["--gpu-memory-utilization", "0.82"])\nsubprocess.Popen(cmd)\n`,
  'shell.py': `import subprocess\nsubprocess.run("vllm serve ${MODEL} ${FLAGS}", shell=True)\n`,
  'runtime.yaml': `apiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\nmetadata: {name: llm}\nspec:\n  containers:\n    - name: kserve-container\n      image: quay.io/own/server:2\n      args: ${LISTED}\n`,
  'map.yaml': `apiVersion: v1\nkind: ConfigMap\ndata:\n  serve.py: |\n    from vllm import LLM\n\n    llm = LLM(\n        model="${MODEL}",\n        max_model_len=40960,\n        gpu_memory_utilization=0.82,\n    )\n    llm.generate("a")\n`,
};

/** The same, where nothing is written: a shell quotes the program, or the words are put together. */
const FIXED: Readonly<Record<string, string>> = {
  'macros.yaml': `macros:\n  vllm: vllm serve\n  common: >\n    --port \${PORT}\n    ${FLAGS}\nmodels:\n  qwen:\n    cmd: \${vllm} ${MODEL} \${common}\n    env: ["CUDA_VISIBLE_DEVICES=1"]\n`,
  'handed.py': `MODEL = "${MODEL}"\nbox.run(Command(command=(f"vllm serve {MODEL} " "${FLAGS}")))\n`,
  'split.yaml': `services:\n  llm:\n    image: vllm/vllm-openai:v0.19.0\n    gpus: all\n    environment:\n      MODEL: ${MODEL}\n      VLLM_ARGS: ${FLAGS}\n    entrypoint: [/bin/sh, -c]\n    command: ["vllm serve $$MODEL $$VLLM_ARGS"]\n`,
  'given.yaml': `apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - name: llm\n      image: vllm/vllm-openai:v0.19.0\n      command: [sh, -c]\n      args: ["vllm serve $MODEL $VLLM_ARGS"]\n      env: [{name: MODEL, value: ${MODEL}}, {name: VLLM_ARGS, value: "${FLAGS}"}]\n      resources: {limits: {nvidia.com/gpu: 1}}\n`,
  'referred.yaml': `apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - name: llm\n      image: vllm/vllm-openai:v0.19.0\n      command: [sh, -c]\n      args: ["vllm serve $(MODEL) $(VLLM_ARGS)"]\n      env: [{name: MODEL, value: ${MODEL}}, {name: VLLM_ARGS, value: "${FLAGS}"}]\n      resources: {limits: {nvidia.com/gpu: 1}}\n`,
  'inline.sh': `#!/bin/sh\npython3 -u -c 'from vllm import LLM; LLM(${CALL}).generate("a")'\n`,
  'joined.py': `import os, shlex\nlength = 40960\ndef start(model="${MODEL}"):\n    args = ["vllm", "serve", model, f"--max-model-len={length}"]\n    args.append("--gpu-memory-utilization")\n    args.append(str(0.82))\n    os.system(" ".join(args))\n`,
  'code.yaml': `services:\n  llm:\n    image: vllm/vllm-openai:v0.19.0\n    gpus: all\n    entrypoint: []\n    command:\n      - python3\n      - -c\n      - |\n        from vllm import LLM\n        llm = LLM(model="${MODEL}", max_model_len=40960, gpu_memory_utilization=0.82)\n        llm.generate("a")\n`,
};

describe('dialects: every door to a server', () => {
  it('says the model, the length and the share', async () => {
    for (const [name, text] of Object.entries({ ...DOORS, ...FIXED })) {
      const { runs } = await judge({ [name]: text }, 'H100 SXM');
      assert.equal(runs.length, 1, name);
      const { quantities, details } = runs[0]?.run ?? assert.fail();
      const found = [quantities.model.value, quantities.seqLen.value, details.memoryShare?.value];
      assert.deepEqual(found, [MODEL, 40_960, 0.82], name);
    }
  });

  it('is mended in the words of who serves', async () => {
    for (const [name, text] of Object.entries(DOORS)) {
      const { runs } = await judge({ [name]: text }, 'RTX 4090');
      const finding = runs[0]?.findings.find(({ rule }) => rule === 'server-cache-too-small');
      const remedies = finding?.remedies ?? [];
      const titled = (words: RegExp) => remedies.find(({ title }) => words.test(title.replaceAll('_', '-')));
      const cap = titled(/^Cap max-model-len at [\d,]+/);
      const raise = titled(/^Raise gpu-memory-utilization to 0\.\d+/);
      const titles = remedies.map(({ title }) => title).join(' | ');
      assert.ok(cap && raise, `${name}: ${titles}`);
      for (const [remedy, wanted] of [
        [cap, /[=:" ]0\.82\b/],
        [raise, /[=:" ]40960\b/],
      ] as const) {
        const after = applied({ [name]: text }, remedy.edits)[name] ?? '';
        assert.notEqual(after, text, `${name}: ${remedy.title}`);
        assert.match(after, wanted, name);
        const again = await judge({ [name]: after }, 'RTX 4090');
        assert.equal(again.runs[0]?.verdict === 'exceeds', false, `${name}: ${after}`);
      }
    }
  });

  it('is capped behind its model where the command has no flag', async () => {
    const lines = [
      ['vllm serve "meta-llama/Llama-3.1-8B-Instruct" > log 2>&1 &', 'Instruct" --max-model-len 4'],
      ['M=meta-llama/Llama-3.1-8B-Instruct\nvllm serve $M', 'serve $M --max-model-len 4'],
    ] as const;
    for (const [line, expected] of lines) {
      const text = `#!/bin/sh\n${line}\n`;
      const { runs } = await judge({ 'serve.sh': text }, 'RTX 4090');
      const remedies = (runs[0]?.findings ?? []).flatMap(one => one.remedies);
      const cap = remedies.find(({ title }) => title.startsWith('Cap max-model-len'));
      const after = applied({ 'serve.sh': text }, cap?.edits ?? [])['serve.sh'] ?? '';
      assert.ok(after.includes(expected), after);
      const again = await judge({ 'serve.sh': after }, 'RTX 4090');
      assert.notEqual(again.runs[0]?.verdict, 'exceeds', after);
    }
  });

  it('edits nothing that stands in another text', async () => {
    for (const [name, text] of Object.entries(FIXED)) {
      const { runs } = await judge({ [name]: text }, 'RTX 4090');
      const edits = (runs[0]?.findings ?? []).flatMap(({ remedies }) => remedies.flatMap(one => one.edits));
      assert.deepEqual(edits, [], name);
    }
  });

  it('takes no resource on CPUs for a server on GPUs', async () => {
    const text = (profile: string): string =>
      `apiVersion: kubeai.org/v1\nkind: Model\nmetadata: {name: llm}\nspec:\n  url: hf://${MODEL}\n  engine: VLLM\n  args: [--gpu-memory-utilization=0.82]\n  resourceProfile: ${profile}\n`;
    const onGpus = await judge({ 'model.yaml': text('nvidia-gpu-h100:1') }, null);
    assert.equal(onGpus.runs[0]?.run.quantities.model.value, MODEL);
    // The profile names the GPU.
    assert.equal(onGpus.runs[0].run.launched?.gpu?.value, 'h100');
    const onCpus = await judge({ 'model.yaml': text('cpu:1') }, null);
    assert.equal(onCpus.runs.length, 0);
  });

  it('starts what a variable names, and nothing that is printed', async () => {
    const named = `#!/bin/bash\nSERVER="\${BIN:-/opt/bin/llama-server}"\nif [ ! -x "$SERVER" ]; then echo "no server at /opt/bin/llama-server" ; fi\nexec "$SERVER" --model a-Q4_K_M.gguf -c 4096\n`;
    const { runs } = await judge({ 'serve.sh': named }, null);
    assert.deepEqual(
      runs.map(({ run }) => [run.quantities.model.value, run.quantities.seqLen.value]),
      [['a-Q4_K_M.gguf', 4096]],
    );
    const client = 'services:\n  llm-client:\n    image: own/client-vllm:latest\n    gpus: all\n';
    const found = await judge({ 'compose.yaml': client }, null);
    assert.equal(found.runs.filter(({ run }) => run.dialect === 'vllm').length, 0);
  });

  it('follows a mounted script, a config map and a file of variables', async () => {
    const serve = `#!/bin/sh\nvllm serve \${MODEL} --max-model-len \${LENGTH} --gpu-memory-utilization 0.82\n`;
    const around = {
      'serve.sh': serve,
      'compose.yaml': `services:\n  llm:\n    image: own\n    gpus: all\n    environment: {MODEL: ${MODEL}, LENGTH: 40960}\n    volumes: [./serve.sh:/app/serve.sh:ro]\n    entrypoint: [/bin/bash, -c]\n    command: [/app/serve.sh]\n`,
      'map.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {MODEL: ${MODEL}, LENGTH: "40960"}\n`,
      'pod.yaml': `apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - name: llm\n      image: own\n      command: [sh, -c, 'vllm serve "$MODEL" --max-model-len $LENGTH --gpu-memory-utilization 0.82']\n      envFrom: [{configMapRef: {name: settings}}]\n      resources: {limits: {nvidia.com/gpu: 1}}\n`,
      'etc/llm.conf': `MODEL=${MODEL}\nLENGTH=40960\n`,
      'llm.service': `[Service]\nEnvironmentFile=-/opt/llm/etc/llm.conf\nExecStart=/opt/bin/vllm serve \${MODEL} --max-model-len \${LENGTH} --gpu-memory-utilization 0.82\n`,
    };
    for (const name of ['compose.yaml', 'pod.yaml', 'llm.service'] as const) {
      const { [name]: first, ...others } = around;
      const { runs } = await judge({ [name]: first, ...others }, null);
      const { quantities } = runs[0]?.run ?? assert.fail(name);
      assert.deepEqual([quantities.model.value, quantities.seqLen.value], [MODEL, 40_960], name);
    }
  });

  it('hands a service’s words on to the script that starts the server', async () => {
    const files = {
      'compose.yaml': `services:\n  llm:\n    image: own\n    gpus: all\n    volumes: [./run.sh:/bin/run.sh:ro]\n    entrypoint: [/bin/run.sh]\n    command: [${MODEL}, --max-model-len, "40960"]\n`,
      'run.sh': '#!/bin/bash\nexec vllm serve "$@"\n',
    };
    const { runs } = await judge(files, null);
    const { quantities } = runs[0]?.run ?? assert.fail();
    assert.deepEqual([quantities.model.value, quantities.seqLen.value], [MODEL, 40_960]);
    // Alone, the script says neither.
    for (const words of ['"$@"', '$*']) {
      const alone = await judge({ 'run.sh': `#!/bin/bash\nexec vllm serve ${words}\n` }, null);
      assert.equal(alone.runs[0]?.run.quantities.model.value, null);
    }
  });

  it('reads what follows the subcommand of an image whose program is the engine', async () => {
    const files = {
      'compose.yaml': `services:\n  llm:\n    image: my-vllm:latest\n    gpus: all\n    command: serve ${MODEL} --max-model-len 40960\n`,
    };
    const { runs } = await judge(files, null);
    const { quantities } = runs[0]?.run ?? assert.fail();
    assert.deepEqual([quantities.model.value, quantities.seqLen.value], [MODEL, 40_960]);
  });

  it('reads the server that a container of clusters, a screen or a profiler starts', async () => {
    const runners = [
      'apptainer exec --nv -B "/a,/b" c.sif',
      'srun singularity exec --nv c.sif',
      'shifter --image=own',
      'docker exec -it llm',
      'screen -dmS llm',
      'nsys profile -o out',
    ];
    for (const runner of runners) {
      const line = `#!/bin/bash\n${runner} vllm serve ${MODEL} --max-model-len 40960\n`;
      const { runs } = await judge({ 'run.sh': line }, null);
      const { quantities } = runs[0]?.run ?? assert.fail(runner);
      assert.deepEqual([quantities.model.value, quantities.seqLen.value], [MODEL, 40_960], runner);
    }
    const printed = await judge({ 'run.sh': '#!/bin/bash\necho apptainer exec c.sif vllm serve a\n' }, null);
    assert.equal(printed.runs.filter(({ run }) => run.dialect === 'vllm').length, 0);
  });

  it('takes GPUs and release of a container whose command is the server', async () => {
    const line = `docker run --gpus '"device=2,3"' lmsysorg/sglang:v0.4.5-cu125 python3 -m sglang.launch_server --model-path ${MODEL}\n`;
    const { runs } = await judge({ 'run.sh': line }, null);
    const { run } = runs[0] ?? assert.fail();
    assert.equal(run.framework.version, '0.4.5');
    assert.equal(run.launched?.devices?.value, 2);
  });

  it('names the GPU of the function that a platform starts, and the release of its image', async () => {
    const modal = `import modal\nimport subprocess\nimage = modal.Image.debian_slim().uv_pip_install("vllm==0.8.5")\napp = modal.App("a", image=image)\nN = 2\n\n@app.function(gpu=f"H100:{N}")\n@modal.web_server(port=8000)\ndef serve():\n    cmd = ["vllm", "serve", "${MODEL}", "--tensor-parallel-size", str(N)]\n    if fast():\n        cmd += ["--enforce-eager"]\n    subprocess.Popen(cmd)\n`;
    const { runs } = await judge({ 'app.py': modal }, null);
    const { run } = runs[0] ?? assert.fail();
    assert.equal(run.launched?.gpu?.value, 'H100');
    assert.equal(run.quantities.devices.value, 2);
    assert.equal(run.launched.releases?.[0]?.release ?? run.installs?.[0]?.release, '0.8.5');
  });

  it('names the GPU of Ray Serve’s models and of KServe’s nodes', async () => {
    const files = {
      'ray.yaml': (DOORS['ray.yaml'] ?? '').replace(
        '      engine_kwargs',
        '      accelerator_type: A10G\n      engine_kwargs',
      ),
      'serve.py': (DOORS['serve.py'] ?? '').replace(
        '    engine_kwargs',
        '    accelerator_type="A10G",\n    engine_kwargs',
      ),
      'kserve.yaml': (DOORS['kserve.yaml'] ?? '').replace(
        '    model:',
        '    nodeSelector: {nvidia.com/gpu.product: NVIDIA-A10G}\n    model:',
      ),
    };
    const world = {
      ...worldWithModels(files),
      gpuNamed: (name: string) => Promise.resolve(target(name.replace('NVIDIA-', ''))),
    };
    for (const [name, text] of Object.entries(files)) {
      const { runs } = await analyze(name, text, world, { target: null, severities: {} }, running);
      assert.equal(runs[0]?.target?.name, 'A10G', name);
    }
  });

  it('is another program where a command replaces that of the image', async () => {
    const pod = (DOORS['pod.yaml'] ?? '').replace(/args: .*/, 'command: [sleep]\n      args: [infinity]');
    const { runs } = await judge({ 'pod.yaml': pod }, null);
    assert.equal(runs[0]?.run.quantities.model.value ?? null, null);
  });

  it('reads what an operator starts: vLLM’s own, and lists of arguments in resources of others', async () => {
    const files = {
      'runtime.yaml': `apiVersion: production-stack.vllm.ai/v1alpha1\nkind: VLLMRuntime\nmetadata: {name: a}\nspec:\n  model: {modelURL: ${MODEL}, maxModelLen: 40960, enableLoRA: false}\n  vllmConfig: {gpuMemoryUtilization: "0.82", port: 8000}\n  deploymentConfig:\n    resources: {cpu: "4", gpu: "2"}\n    image: {registry: docker.io, name: "vllm/vllm-openai:v0.9.2"}\n`,
      'other.yaml': `apiVersion: llm.example.com/v1\nkind: Served\nmetadata: {name: b}\nspec:\n  model: {name: ${MODEL}}\n  vllmArgs: [--max-model-len=40960, --gpu-memory-utilization=0.82]\n  resources: {limits: {nvidia.com/gpu: 2}}\n`,
    };
    for (const [name, text] of Object.entries(files)) {
      const { runs } = await judge({ [name]: text }, null);
      const { quantities, details } = runs[0]?.run ?? assert.fail(name);
      const { model, seqLen, devices } = quantities;
      assert.deepEqual(
        [model.value, seqLen.value, details.memoryShare?.value, devices.value],
        [MODEL, 40_960, 0.82, 2],
        name,
      );
    }
    const core = files['other.yaml'].replace('llm.example.com/v1', 'v1');
    assert.equal((await judge({ 'core.yaml': core }, null)).runs.length, 0);
  });

  it('is none where an image’s command is another program, and one in a container that a proxy starts', async () => {
    const image = 'FROM vllm/vllm-openai:v0.9.2\nCMD ["python3", "-u", "/handler.py"]\n';
    assert.equal((await judge({ Dockerfile: image }, null)).runs.length, 0);
    const proxy = `models:\n  a:\n    cmd: >\n      docker run --rm -p 9:9 --gpus all\n      ghcr.io/ggml-org/llama.cpp:server-cuda\n      --ctx-size 4096 -m /models/a-Q8_0.gguf\n`;
    const [run] = (await judge({ 'swap.yaml': proxy }, null)).runs;
    assert.deepEqual(
      [run?.run.quantities.model.value, run?.run.quantities.seqLen.value],
      ['/models/a-Q8_0.gguf', 4096],
    );
    const script = `#!/bin/bash\nset -e\nsource .env.example\n"$BIN" serve "$MODEL" --max-model-len $LENGTH\n`;
    const settings = `BIN=.venv/bin/vllm\nMODEL=${MODEL}\nLENGTH=4096\n`;
    const [sourced] = (await judge({ 'a.sh': script, '.env.example': settings }, null)).runs;
    assert.deepEqual(
      [sourced?.run.quantities.model.value, sourced?.run.quantities.seqLen.value],
      [MODEL, 4096],
    );
  });

  it('follows the runtime of a KServe service into the file beside it', async () => {
    const runtime = `apiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\nmetadata: {name: ours}\nspec:\n  containers:\n    - name: kserve-container\n      image: vllm/vllm-openai:v0.9.2\n      args: [--model=/mnt/models, --max-num-seqs=12, --max-model-len=100]\n`;
    const service = (DOORS['kserve.yaml'] ?? '').replace('    model:', '    model:\n      runtime: ours');
    const { runs } = await judge({ 'kserve.yaml': service, 'runtime.yaml': runtime }, 'H100 SXM');
    const { quantities, details, framework } = runs[0]?.run ?? assert.fail();
    assert.deepEqual(
      [quantities.model.value, quantities.seqLen.value, details.maxSequences?.value, framework.version],
      [MODEL, 40_960, 12, '0.9.2'],
    );
  });

  it('takes the release of the runtime that serves a model', async () => {
    const runtime = `apiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\nmetadata: {name: ours}\nspec:\n  containers:\n    - name: kserve-container\n      image: vllm/vllm-openai:v0.9.2\n      args: [--port=8080]\n---\n`;
    const service = (DOORS['kserve.yaml'] ?? '').replace('    model:', '    model:\n      runtime: ours');
    const { runs } = await judge({ 'kserve.yaml': `${runtime}${service}` }, 'H100 SXM');
    assert.deepEqual(
      runs.map(({ run }) => [run.quantities.model.value, run.framework.version]),
      [[MODEL, '0.9.2']],
    );
  });

  it('shares the experts among data-parallel ranks', async () => {
    const weights = async (ranks: number): Promise<number> => {
      const text = `#!/bin/sh\nvllm serve Qwen/Qwen3-30B-A3B --max-model-len 4096 --data-parallel-size ${ranks}\n`;
      const { runs } = await judge({ 'serve.sh': text }, 'H100 SXM');
      return runs[0]?.estimate?.devices[0]?.served?.weightsBytes ?? 0;
    };
    const [one, eight] = [await weights(1), await weights(8)];
    assert.ok(one > 55e9 && eight < 12e9 && eight > 8e9, `${one} ${eight}`);
  });
});

/** Programs that make an engine of another kind, with their model, length and share. */
const ENGINES: readonly (readonly [name: string, text: string, expected: readonly unknown[]])[] = [
  [
    'sglang',
    `import sglang as sgl\nllm = sgl.Engine(model_path="${MODEL}", tp_size=2, mem_fraction_static=0.8, context_length=8192)\n`,
    [MODEL, 8192, 0.8, 2],
  ],
  [
    'lmdeploy',
    `from lmdeploy import pipeline, TurbomindEngineConfig\npipe = pipeline("${MODEL}", backend_config=TurbomindEngineConfig(tp=2, session_len=8192, cache_max_entry_count=0.5))\n`,
    [MODEL, 8192, 0.5, 2],
  ],
  [
    'tensorrt-llm',
    `from tensorrt_llm import LLM\nfrom tensorrt_llm.llmapi import KvCacheConfig\nllm = LLM(model="${MODEL}", tensor_parallel_size=2, max_seq_len=8192, kv_cache_config=KvCacheConfig(free_gpu_memory_fraction=0.7))\n`,
    [MODEL, 8192, 0.7, 2],
  ],
];

describe('dialects: engines made in Python', () => {
  it('are servers with their own arguments', async () => {
    for (const [dialect, text, expected] of ENGINES) {
      const { runs } = await judge({ 'run.py': text }, 'H100 SXM');
      const { quantities, details, dialect: found } = runs[0]?.run ?? assert.fail(dialect);
      const ranks = quantities.parallel.value?.tensor;
      assert.equal(found, dialect);
      assert.deepEqual(
        [quantities.model.value, quantities.seqLen.value, details.memoryShare?.value, ranks],
        expected,
      );
    }
  });

  it('are none where only the caller knows the model', async () => {
    const text =
      'from vllm import AsyncEngineArgs\nargs = AsyncEngineArgs.from_cli_args(parser.parse_args())\n';
    assert.equal((await judge({ 'run.py': text }, null)).runs.length, 0);
  });

  it('reads a script that has nothing but the command of a server', async () => {
    for (const [command, dialect] of [
      [`sglang serve --model-path ${MODEL}`, 'sglang'],
      [`apptainer exec --nv "$SIF" sglang serve --model-path ${MODEL}`, 'sglang'],
      [`vllm bench throughput --model ${MODEL}`, 'vllm'],
      [`uvx --from vllm==0.11.0 vllm serve ${MODEL}`, 'vllm'],
      [`python -m lmdeploy serve api_server ${MODEL}`, 'lmdeploy'],
    ]) {
      const { runs } = await judge({ 'serve.sh': `#!/bin/bash\n${command}\n` }, 'H100 SXM');
      const { run } = runs[0] ?? assert.fail(command);
      assert.deepEqual([run.dialect, run.quantities.model.value], [dialect, MODEL], command);
    }
  });
});
