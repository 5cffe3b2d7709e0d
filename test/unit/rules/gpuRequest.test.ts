import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { applied } from '../dialects/support';
import { axolotl, judge } from '../core/support';

const CONFIG = axolotl({ micro_batch_size: 1, sequence_len: 1024 });

const RULES = [{ rule: 'gpu-share-too-small' }, { rule: 'fewer-gpus-than-ranks' }];

interface Pod {
  readonly limits?: string;
  readonly annotations?: string;
  readonly command?: string;
  readonly image?: string;
}

/** A job of Kubernetes whose pod asks for GPUs or parts of one. */
const job = ({
  limits = '',
  annotations = '',
  command = '[axolotl, train, tune.yaml]',
  image = 'a',
}: Pod) => `\
apiVersion: batch/v1
kind: Job
metadata: {name: tune}
spec:
  template:
    metadata:
      annotations: {team: a${annotations}}
    spec:
      containers:
        - name: main
          image: ${image} # ours
          command: ${command}
          resources: {limits: {cpu: 4${limits}}}
`;

async function found(pod: Pod, gpu = 'H100 80GB') {
  const text = job(pod);
  const { runs } = await judge({ 'job.yaml': text, 'tune.yaml': CONFIG }, gpu);
  const [run] = runs;
  assert.ok(run);
  const finding = run.findings.find(one => RULES.some(({ rule }) => rule === one.rule));
  const [remedy] = finding?.remedies ?? [];
  return {
    run,
    finding,
    remedy,
    after: remedy ? (applied({ 'job.yaml': text }, remedy.edits)['job.yaml'] ?? '') : '',
  };
}

describe('what a pod asks for of a GPU', () => {
  it('HAMi: too little memory is raised to the upper end of the estimate, in MiB', async () => {
    const { run, finding, after } = await found({ limits: ', nvidia.com/gpu: 1, nvidia.com/gpumem: 3000' });
    assert.match(finding?.message ?? '', /^Asks for 2\.9 GB of a GPU, but needs ≈ /);
    const amount = Number(/nvidia\.com\/gpumem: (\d+)\}/.exec(after)?.[1]);
    const high = (run.estimate?.devices[0]?.device.high ?? 0) / 2 ** 20;
    assert.ok(amount >= high && amount < high + 256, `${amount} ${high}`);
    assert.match(after, /image: a # ours\n/);
    const again = await found({ limits: `, nvidia.com/gpu: 1, nvidia.com/gpumem: ${amount}` });
    assert.equal(again.finding, undefined);
  });

  it('HAMi: a percentage of the target GPU, without a number of GPUs', async () => {
    const { run, after } = await found({ limits: ', nvidia.com/gpumem-percentage: 5' });
    assert.equal(run.run.quantities.devices.value, 1);
    const percent = Number(/gpumem-percentage: (\d+)\}/.exec(after)?.[1]);
    assert.ok(percent > 5 && percent <= 100, after);
  });

  it('KAI: amounts and fractions are annotations, so texts', async () => {
    const { run, after } = await found({ annotations: ', gpu-memory: "2000"' });
    assert.equal(run.run.dialect, 'axolotl');
    assert.match(after, /gpu-memory: "\d{5}"\}/);
    assert.match((await found({ annotations: ', gpu-fraction: "0.1"' })).after, /gpu-fraction: "0\.\d\d"\}/);
    const other = ', gpu-fraction: "0.1", gpu-fraction-container-name: sidecar';
    assert.equal((await found({ annotations: other, limits: ', nvidia.com/gpu: 1' })).finding, undefined);
  });

  it('no part of a GPU that is too small is enough', async () => {
    const { finding, remedy } = await found({ limits: ', nvidia.com/gpumem: 3000' }, 'RTX 4090');
    assert.match(finding?.message ?? '', /Ask for whole GPUs\.$/);
    assert.equal(remedy, undefined);
  });

  it('says nothing of whole GPUs, or of amounts that are none', async () => {
    assert.equal((await found({ limits: ', nvidia.com/gpu: 1' })).finding, undefined);
    for (const amount of ['0', 'some', '""', '-1']) {
      const { finding } = await found({ limits: `, nvidia.com/gpu: 1, nvidia.com/gpumem: ${amount}` });
      assert.equal(finding, undefined, amount);
    }
  });

  it('writes as many GPUs as a server has ranks', async () => {
    const serve = (count: number) => ({
      image: 'vllm/vllm-openai:v0.11.0',
      command: '[vllm, serve, Qwen/Qwen3-8B, --tensor-parallel-size, "4"]',
      limits: `, nvidia.com/gpu: ${count}`,
    });
    const { finding, after } = await found(serve(1));
    assert.match(
      finding?.message ?? '',
      /starts 4 ranks, but 1 GPU are? requested|starts 4 ranks, but 1 GPU/,
    );
    assert.match(after, /nvidia\.com\/gpu: 4\}/);
    assert.equal((await found(serve(4))).finding, undefined);
  });
});

describe('jobs of several pods', () => {
  const fixture = (name: string): string => readFileSync(`test/fixtures/kubernetes/${name}`, 'utf8');

  it('LeaderWorkerSet: the leader serves on the GPUs of all pods of its group; a worker is not a run', async () => {
    const { runs } = await judge({ 'lws.yaml': fixture('lws-vllm.yaml') }, 'H100 80GB');
    const [leader] = runs.filter(({ estimate }) => estimate !== null);
    assert.deepEqual(leader?.run.quantities.parallel.value?.pipeline, 2);
    assert.equal(leader.run.launched?.nodes?.value, 2);
    assert.ok(runs.every(({ run }) => run.quantities.model.value !== 'bash'));
    assert.deepEqual(
      leader.findings.filter(({ rule }) => rule === 'fewer-gpus-than-ranks'),
      [],
    );
  });

  it('RayJob: the entrypoint is the run, on the GPUs of a worker', async () => {
    const text = fixture('rayjob.yaml');
    const { runs } = await judge({ 'ray.yaml': text }, 'H100 80GB');
    const [run] = runs;
    assert.equal(run?.run.quantities.microBatchSize.value, 4);
    assert.equal(run.run.quantities.model.value, 'Qwen/Qwen2.5-7B-Instruct');
    assert.equal(run.run.launched?.devices?.value, 1);
  });
});
