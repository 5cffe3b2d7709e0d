import assert from 'node:assert/strict';
import { editsFor } from '../../../src/core/dialects/write';
import { applied, read } from './support';

const GPU = (count: number): string =>
  `    deploy: {resources: {reservations: {devices: [{driver: nvidia, count: ${count}, capabilities: [gpu]}]}}}\n`;

const BASE = `services:
  llm:
    image: vllm/vllm-openai:v0.11.0
    command: --model a/b --max-model-len 8192
${GPU(1)}`;

describe('Compose files that are one', () => {
  const OVER = `services:\n  llm:\n    command: --model a/b --max-model-len 4096 --tensor-parallel-size 2\n${GPU(2)}`;
  const files = { 'compose.yaml': BASE, 'compose.override.yaml': OVER };

  it('the usual override replaces a command and the devices', async () => {
    const { runs, dependencies } = await read(files);
    const [run] = runs;
    assert.equal(run?.quantities.seqLen.value, 4096);
    assert.equal(run.quantities.devices.value, 2);
    assert.ok(dependencies.includes('compose.override.yaml'));
    const origin = run.quantities.devices.origin;
    assert.ok(origin.kind === 'file' && origin.at.file === 'compose.override.yaml');
    assert.ok(
      run.sources.some(({ path }) => path === 'compose.yaml'),
      'it has a place in the file beneath',
    );
  });

  it('an edit lands in the file that has the command', async () => {
    const [run] = (await read(files)).runs;
    assert.ok(run);
    const result = editsFor(run, [{ quantity: 'seqLen', to: 2048 }]);
    assert.ok(result.ok);
    const after = applied(files, result.edits);
    assert.equal(after['compose.yaml'], BASE);
    assert.match(after['compose.override.yaml'] ?? '', /--max-model-len 2048/);
  });

  it('a doubled dollar is one of the shell in the container', async () => {
    const command = `["bash", "-c", "M=a/b; vllm serve $$M --max-model-len $\${LEN:-1024} --max-num-seqs \${SEQS:-8}"]`;
    const own = BASE.replace(/command: .*/, `environment: {LEN: 4096}\n    entrypoint: ${command}`);
    const [run] = (await read({ 'compose.yaml': own })).runs;
    assert.equal(run?.quantities.model.value, 'a/b');
    assert.equal(run.quantities.seqLen.value, 4096);
  });

  it('an engine takes as many of all GPUs as it has ranks', async () => {
    const all = BASE.replace('count: 1', 'count: all');
    const stated = all.replace('8192', '8192 --tensor-parallel-size 4');
    assert.equal((await read({ 'compose.yaml': stated })).runs[0]?.quantities.gpus.value, 4);
    assert.equal((await read({ 'compose.yaml': all })).runs[0]?.quantities.gpus.value, null);
  });

  it('opened from the override they are the same run', async () => {
    const [run] = (await read(files, 'compose.override.yaml')).runs;
    assert.equal(run?.quantities.seqLen.value, 4096);
    assert.equal(run.quantities.model.value, 'a/b');
  });

  it('COMPOSE_FILE says which they are instead', async () => {
    const told = {
      ...files,
      'gpu.yaml': OVER.replace('4096', '1024'),
      '.env': 'COMPOSE_FILE=compose.yaml:gpu.yaml\n',
    };
    const [run] = (await read(told)).runs;
    assert.equal(run?.quantities.seqLen.value, 1024);
  });

  it('a file whose services have no image lies over the usual one', async () => {
    const over = {
      'compose.gpu.yaml': `services:\n  llm:\n${GPU(4)}`,
      'compose.yaml': BASE.replace(GPU(1), ''),
    };
    const [run] = (await read(over)).runs;
    assert.equal(run?.quantities.model.value, 'a/b');
    assert.equal(run.quantities.devices.value, 4);
  });

  it('a service takes what it extends, of its own file and of another', async () => {
    const extended = {
      'compose.yaml':
        `services:\n  big:\n    extends: {file: common.yml, service: gpu}\n    command: --model a/b --max-model-len 512\n  small:\n    extends: big\n    command: --model c/d\n`.concat(
          '    gpus: 1\n',
        ),
      'common.yml': `services:\n  gpu:\n    image: vllm/vllm-openai\n    environment: {HF_HOME: /x}\n${GPU(2)}`,
    };
    const { runs, notes } = await read(extended);
    assert.deepEqual(
      runs.map(({ name, quantities: { model, devices } }) => [name, model.value, devices.value]),
      [
        ['big', 'a/b', 2],
        ['small', 'c/d', 1],
      ],
    );
    assert.deepEqual(notes, []);
  });

  it('a service that extends itself is a finding, and so is a file that is not there', async () => {
    const circle = `services:\n  a:\n    extends: b\n${GPU(1)}  b:\n    extends: a\n    image: vllm/vllm-openai\n`;
    const notes = async (text: string): Promise<string[]> =>
      (await read({ 'compose.yaml': text })).notes.map(({ code }) => code);
    assert.ok((await notes(circle)).includes('circular-files'));
    const lost = `services:\n  a:\n    extends: {file: none.yml, service: b}\n${GPU(1)}`;
    assert.deepEqual(await notes(lost), ['missing-file']);
  });

  it('environment of another file counts, in its place', async () => {
    const base = `services:\n  tei:\n    image: ghcr.io/huggingface/text-embeddings-inference:1.8\n${GPU(1)}    environment:\n      MODEL_ID: a/b\n`;
    const over = 'services:\n  tei:\n    environment:\n      MODEL_ID: c/d\n';
    const [run] = (await read({ 'compose.yaml': base, 'compose.override.yaml': over })).runs;
    const model = run?.quantities.model;
    assert.equal(model?.value, 'c/d');
    assert.ok('at' in model.origin && model.origin.at.file === 'compose.override.yaml');
  });

  it('a profile that is not asked for is said', async () => {
    const text = BASE.replace('    command', '    profiles: [big]\n    command');
    const [off] = (await read({ 'compose.yaml': text })).runs;
    assert.deepEqual(off?.launched?.profiles, ['big']);
    const [on] = (await read({ 'compose.yaml': text, '.env': 'COMPOSE_PROFILES=big\n' })).runs;
    assert.equal(on?.launched?.profiles, undefined);
  });
});

describe('a Compose service with a launcher of its own', () => {
  const service = (environment: string): string =>
    `services:\n  llm:\n    build: .\n    command: python launch.py\n    environment:\n${environment}${GPU(1)}`;

  it('serves what its variables say', async () => {
    const own = '      - VLLM_MODEL=${VLLM_MODEL:-a/b-7b}\n      - VLLM_MAX_MODEL_LEN=${LEN:-2048}\n';
    const [run] = (await read({ 'compose.yaml': service(own) })).runs;
    assert.equal(run?.dialect, 'vllm');
    assert.deepEqual([run.quantities.model.value, run.quantities.seqLen.value], ['a/b-7b', 2048]);
  });

  it('is not judged by a model alone', async () => {
    const [run] = (await read({ 'compose.yaml': service('      - VLLM_MODEL=a/b-7b\n') })).runs;
    assert.equal(run?.dialect, 'compose');
  });
});

describe('a Compose service that starts a program beside the file', () => {
  const program = `import argparse
from ultralytics import YOLO
p = argparse.ArgumentParser()
p.add_argument("--batch", type=int, default=16)
p.add_argument("--imgsz", type=int, default=640)
a = p.parse_args()
YOLO("yolo11n.pt").train(data="d.yaml", batch=a.batch, imgsz=a.imgsz, device=0)
`;
  const service = (command: string, volume: string): string =>
    `services:\n  train:\n    image: mine\n    command: ${command}\n    volumes:\n      - ${volume}\n${GPU(1)}`;
  const answers = async (command: string, volume: string, path = 'train.py') => {
    const { runs } = await read({ 'compose.yaml': service(command, volume), [path]: program });
    return runs.map(({ quantities: { model, globalBatchSize, imageSize } }) => [
      model.value,
      globalBatchSize.value,
      imageSize.value?.[0],
    ]);
  };

  it('hands on flags in lines of their own', async () => {
    const lines = '>\n      python train.py\n        --batch 32\n        --imgsz 320';
    assert.deepEqual(await answers(lines, './data:/data'), [['yolo11n.pt', 32, 320]]);
    assert.deepEqual(await answers(lines.replace('>', '|'), './data:/data'), [['yolo11n.pt', 32, 320]]);
  });

  it('keeps lines in quotes apart', async () => {
    const quoted = '|\n      sh -c "pip install x\n      python train.py --batch 8"';
    assert.deepEqual(await answers(quoted, './data:/data'), [['yolo11n.pt', 8, 640]]);
  });

  it('finds a program that is mounted', async () => {
    const command = 'python /app/train.py --batch 32';
    assert.deepEqual(await answers(command, './train.py:/app/train.py:ro'), [['yolo11n.pt', 32, 640]]);
    assert.deepEqual(await answers(command, './src:/app', 'src/train.py'), [['yolo11n.pt', 32, 640]]);
    assert.deepEqual(await answers(command, './other:/application'), [[null, null, undefined]]);
  });
});
