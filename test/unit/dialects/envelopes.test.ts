import assert from 'node:assert/strict';
import { commands } from '../../../src/core/dialects/command/shell';
import { whole } from '../../../src/core/dialects/command/located';
import { editsFor } from '../../../src/core/dialects/write';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import { applied, read } from './support';

const lines = (script: string): string[] =>
  commands(whole(script), new Map([['MODEL', 'a/b']])).map(words =>
    words.map(({ text, open }) => (open ? `<${text}>` : text)).join(' '),
  );

/** The text where a quantity is stated. */
function stated(run: RunSpec | undefined, text: string, name: 'seqLen' | 'model' | 'microBatchSize'): string {
  const origin = run?.quantities[name].origin;
  assert.ok(origin && 'at' in origin, name);
  return text.slice(origin.at.valueSpan.start, origin.at.valueSpan.end);
}

describe('command lines', () => {
  it('are words as a shell has them', () => {
    assert.deepEqual(lines('vllm serve $MODEL \\\n  --dtype "half" # fast\n'), [
      'vllm serve a/b --dtype half',
    ]);
    assert.deepEqual(lines("python x.py --name 'a b' && echo done"), ['python x.py --name a b', 'echo done']);
    assert.deepEqual(lines('A=3\ntorchrun --n $A --m ${B:-7} --k $C'), ['torchrun --n 3 --m 7 --k <$C>']);
    assert.deepEqual(lines('T=$((2 * 8))\nx --tp $T'), ['x --tp 16']);
  });

  it('in branches, heredocs and outputs of commands are not taken as known', () => {
    assert.deepEqual(lines('if [ -z "$A" ]; then\n N=2\n vllm serve x\nfi\nrun $N'), ['run <$N>']);
    assert.deepEqual(lines('cat <<EOF > c.yaml\nvllm serve x\nEOF\nrun $(nproc)'), ['run <$(nproc)>']);
  });

  it('stay behind shifts, texts and comments that look like heredocs', () => {
    const lookalikes = [
      'P=$((((RANDOM<<15)|RANDOM)%63001+2000))',
      'read A <<< word',
      '# cat << END',
      '((N = 1 << M))',
    ];
    for (const line of lookalikes) assert.equal(lines(`${line}\nvllm serve x`).at(-1), 'vllm serve x', line);
  });
});

const COMPOSE = `services:
  web:
    image: nginx
  llm:
    image: vllm/vllm-openai:v0.11.0
    command: --model Qwen/Qwen3-8B --max-model-len 8192 --gpu-memory-utilization=0.8
    deploy:
      resources:
        reservations:
          devices:
            - {driver: nvidia, count: 2, capabilities: [gpu]}
`;

describe('envelopes', () => {
  it('Compose: a service with GPUs is a run of what it starts, at the words of its command', async () => {
    const { dialect, runs } = await read({ 'compose.yaml': COMPOSE });
    assert.equal(dialect, 'compose');
    const [run] = runs;
    assert.deepEqual(
      runs.map(({ name, dialect: inner }) => [name, inner]),
      [['llm', 'vllm']],
    );
    assert.equal(run?.quantities.model.value, 'Qwen/Qwen3-8B');
    assert.equal(run.quantities.devices.value, 2);
    assert.equal(run.details.memoryShare?.value, 0.8);
    assert.equal(stated(run, COMPOSE, 'seqLen'), '8192');
  });

  it('an edit lands in the command, and a new flag behind the others', async () => {
    const { runs } = await read({ 'compose.yaml': COMPOSE });
    const [run] = runs;
    assert.ok(run);
    const edits = editsFor(run, [{ quantity: 'seqLen', to: 4096 }]);
    assert.ok(edits.ok);
    const [edit] = edits.edits;
    assert.equal(edit?.edit.text, '4096');
    assert.equal(COMPOSE.slice(edit.edit.span.start, edit.edit.span.end), '8192');
    const added = editsFor(run, [{ key: 'max-num-seqs', to: 8 }]);
    assert.ok(added.ok);
    const after = applied({ 'compose.yaml': COMPOSE }, added.edits)['compose.yaml'];
    assert.match(after ?? '', /--gpu-memory-utilization=0.8 --max-num-seqs 8\n/);
  });

  it('a new flag stays within the quotes of a command, and is refused in a list', async () => {
    const command = 'command: --model Qwen/Qwen3-8B --max-model-len 8192 --gpu-memory-utilization=0.8';
    const quoted = COMPOSE.replace(command, 'command: "--model Qwen/Qwen3-8B --max-model-len \'8192\'"');
    const [run] = (await read({ 'compose.yaml': quoted })).runs;
    assert.ok(run);
    const added = editsFor(run, [{ key: 'max-num-seqs', to: 8 }]);
    assert.ok(added.ok);
    const after = applied({ 'compose.yaml': quoted }, added.edits)['compose.yaml'];
    assert.match(after ?? '', /--max-model-len '8192' --max-num-seqs 8"\n/);
    const list = COMPOSE.replace(command, 'command: [--model, Qwen/Qwen3-8B, --max-model-len, "8192"]');
    const [listed] = (await read({ 'compose.yaml': list })).runs;
    assert.ok(listed);
    assert.equal(editsFor(listed, [{ key: 'max-num-seqs', to: 8 }]).ok, false);
  });

  it('Compose: ignores services without GPUs', async () => {
    const { dialect } = await read({ 'compose.yaml': 'services:\n  gpu-less:\n    image: nginx\n' });
    assert.equal(dialect, null);
  });

  it('Compose: a value that comes from outside is not known, and its default is', async () => {
    const text = COMPOSE.replace('Qwen/Qwen3-8B', '${LLM}').replace('8192', '${LEN:-2048}');
    const { runs } = await read({ 'compose.yaml': text });
    assert.equal(runs[0]?.quantities.model.origin.kind, 'unresolved');
    assert.equal(runs[0].quantities.seqLen.value, 2048);
  });

  const POD = `apiVersion: batch/v1
kind: Job
metadata:
  name: tune
spec:
  template:
    spec:
      containers:
        - name: axolotl
          image: axolotlai/axolotl
          command: ["axolotl", "train", "tune.yaml", "--micro-batch-size", "4"]
          env:
            - name: HF_TOKEN
              value: hf_secret
          resources:
            limits:
              nvidia.com/gpu: "8"
`;
  const TUNE = 'base_model: a/b\nmicro_batch_size: 1\ngradient_accumulation_steps: 2\nsequence_len: 512\n';

  it('Kubernetes: a job’s config is read with the flags laid over it, and the job’s GPUs', async () => {
    const { dialect, runs, dependencies } = await read({ 'job.yaml': POD, 'tune.yaml': TUNE });
    assert.equal(dialect, 'k8s');
    const [run] = runs;
    assert.equal(run?.dialect, 'axolotl');
    assert.equal(run.quantities.microBatchSize.value, 4);
    assert.equal(stated(run, POD, 'microBatchSize'), '4');
    assert.equal(stated(run, TUNE, 'model'), 'a/b');
    assert.equal(run.quantities.devices.value, 8);
    assert.ok(dependencies.includes('tune.yaml'));
    assert.ok(!JSON.stringify(run.quantities).includes('hf_secret'));
  });

  it('Kubernetes: a config in a config map is read where it stands', async () => {
    const map = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  tune.yaml: |\n${TUNE.replaceAll(/^/gm, '    ')}`;
    const { runs } = await read({ 'map.yaml': map });
    assert.equal(runs[0]?.dialect, 'axolotl');
    assert.equal(stated(runs[0], map, 'model'), 'a/b');
    assert.equal(stated(runs[0], map, 'seqLen'), '512');
  });

  it('Kubernetes: ignores manifests without GPUs', async () => {
    const { dialect } = await read({ 'job.yaml': POD.replace('nvidia.com/gpu', 'memory') });
    assert.equal(dialect, null);
  });

  it('SkyPilot: GPUs, nodes and variables of the task are known to its text', async () => {
    const text = `resources:
  accelerators: H100:8
num_nodes: 2
envs:
  MODEL: a/b
run: |
  vllm serve $MODEL --tensor-parallel-size $SKYPILOT_NUM_GPUS_PER_NODE
`;
    const [run] = (await read({ 'task.yaml': text })).runs;
    assert.equal(run?.quantities.model.value, 'a/b');
    assert.equal(run.quantities.parallel.value?.tensor, 8);
    assert.equal(run.quantities.gpus.value, 16);
  });

  it('Determined: a GPU’s batch is its share of the global one', async () => {
    const text =
      'searcher: {name: single, metric: loss}\nhyperparameters:\n  global_batch_size: 256\nresources:\n  slots_per_trial: 8\nentrypoint: m:T\n';
    const [run] = (await read({ 'const.yaml': text })).runs;
    assert.equal(run?.quantities.microBatchSize.value, 32);
  });
});

describe('servers', () => {
  it('vLLM: each model of a chart’s values is a run', async () => {
    const text = `servingEngineSpec:
  modelSpec:
    - name: one
      repository: vllm/vllm-openai
      tag: v0.9.1
      modelURL: a/b
      requestGPU: 2
      vllmConfig:
        maxModelLen: 4096
        extraArgs: ["--gpu-memory-utilization", "0.8"]
`;
    const [run] = (await read({ 'values.yaml': text })).runs;
    assert.equal(run?.name, 'one');
    assert.equal(run.quantities.seqLen.value, 4096);
    assert.equal(run.quantities.devices.value, 2);
    assert.equal(run.details.memoryShare?.value, 0.8);
    assert.equal(run.launched?.releases?.[0]?.release, '0.9.1');
  });

  it('vLLM: lengths in thousands, and what fits', async () => {
    const lengthOf = async (length: string): Promise<unknown> =>
      (await read({ 'serve.yaml': `model: a/b\nmax-model-len: ${length}\nmax-num-seqs: 4\n` })).runs[0]
        ?.quantities.seqLen.value;
    assert.deepEqual([await lengthOf('8k'), await lengthOf('1K'), await lengthOf('-1')], [8000, 1024, null]);
  });
});

describe('files that only ask for a GPU', () => {
  it('cog.yaml starts a program of its own: there is nothing to say of its memory', async () => {
    const cog =
      'build:\n  gpu: true\n  cuda: "12.1"\n  python_version: "3.11"\n  python_packages: [torch==2.3.1]\npredict: predict.py:Predictor\ntrain: train.py:train\n';
    const { dialect, runs, notes } = await read({ 'cog.yaml': cog });
    assert.deepEqual([dialect, runs, notes], [null, [], []]);
  });
});
