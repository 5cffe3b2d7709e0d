import assert from 'node:assert/strict';
import { analyze } from '../../../src/core/analyse/analyse';
import type { Target } from '../../../src/core/hardware/gpu';
import { running } from '../dialects/support';
import { target, worldWithModels } from './support';

const SERVE = 'vllm serve Qwen/Qwen3-8B --max-model-len 8192';
const FILES: Readonly<Record<string, string>> = {
  'sky.yaml': `resources:\n  accelerators: A100-80GB:2\nrun: |\n  ${SERVE}\n`,
  'several.yaml': `resources:\n  accelerators: {A100-80GB: 2, H100: 2}\nrun: |\n  ${SERVE}\n`,
  'job.sbatch': `#!/bin/sh\n#SBATCH --gres=gpu:h100:2\nsrun ${SERVE}\n`,
  'dstack.yaml': `type: service\nresources:\n  gpu: A100:80GB:2\ncommands:\n  - ${SERVE}\n`,
  'size.yaml': `type: task\nresources:\n  gpu: 24GB:1\ncommands:\n  - ${SERVE}\n`,
  'range.yaml': `type: task\nresources:\n  gpu: {memory: 40GB.., count: 1}\ncommands:\n  - ${SERVE}\n`,
  'upTo.yaml': `type: task\nresources:\n  gpu: {memory: ..40GB, count: 1}\ncommands:\n  - ${SERVE}\n`,
  'pod.yaml': `apiVersion: v1
kind: Pod
spec:
  nodeSelector:
    nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3-SHARED
  containers:
    - name: v
      image: vllm/vllm-openai:v0.11.0
      args: [--model, Qwen/Qwen3-8B, --max-model-len, "8192"]
      resources: {limits: {nvidia.com/gpu: 1}}
`,
};

/** The GPU that the file's run is judged against. */
async function judgedOn(file: string, given: Target | null): Promise<string | null> {
  const world = {
    ...worldWithModels(FILES),
    gpuNamed: (name: string) => Promise.resolve(name === 'unknown' ? null : target(name)),
  };
  const options = { target: given, severities: {} };
  const { runs } = await analyze(file, FILES[file] ?? '', world, options, running);
  return runs[0]?.target?.name ?? null;
}

describe('the GPU that a file asks for', () => {
  it('is the one that its run is judged against', async () => {
    assert.equal(await judgedOn('sky.yaml', null), 'A100 SXM4 80GB');
    assert.equal(await judgedOn('job.sbatch', null), 'H100 SXM');
    assert.equal(await judgedOn('dstack.yaml', null), 'A100 SXM4 80GB');
    assert.equal(await judgedOn('pod.yaml', null), 'H100 SXM');
  });

  it('is one of the least size where a file states only its memory', async () => {
    assert.equal(await judgedOn('size.yaml', null), '24 GB');
    assert.equal(await judgedOn('range.yaml', null), '40 GB');
    assert.equal(await judgedOn('upTo.yaml', null), null);
  });

  it('wins over what this machine happens to have, not over what was chosen', async () => {
    const chosen = target('RTX 4090');
    assert.equal(await judgedOn('sky.yaml', { ...chosen, kind: 'present' }), 'A100 SXM4 80GB');
    assert.equal(await judgedOn('sky.yaml', chosen), 'RTX 4090');
  });

  it('is not guessed where a file would take several', async () => {
    assert.equal(await judgedOn('several.yaml', null), null);
  });
});
