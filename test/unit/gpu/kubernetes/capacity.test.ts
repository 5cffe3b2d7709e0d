import assert from 'node:assert/strict';
import fc from 'fast-check';
import { capacitiesOf } from '../../../../src/gpu/kubernetes/capacity';
import { gpusOfPod } from '../../../../src/gpu/kubernetes/resources';
import { isRecord } from '../../../../src/core/text/json';
import { tries } from '../../../tries';
import { H100, node, pod } from './objects';

const GPU = (count: number) => ({ 'nvidia.com/gpu': String(count) });

describe('Kubernetes: GPUs by node and type', () => {
  it('counts what pods that are not over hold, and says which', () => {
    const pods = [
      pod('train-0', 'a', GPU(4)),
      pod('done', 'a', GPU(4), { phase: 'Succeeded' }),
      pod('serve', 'a', GPU(1), { phase: 'Pending' }),
      pod('elsewhere', 'b', GPU(8)),
      pod('plain', 'a', { cpu: '4' }),
    ];
    assert.deepEqual(capacitiesOf([node('a', GPU(8), H100)], pods), [
      {
        place: 'a',
        gpu: 'NVIDIA H100 80GB HBM3',
        memoryMiB: 81559,
        nodes: 1,
        gpusTotal: 8,
        gpusFree: 3,
        note: null,
        holders: [
          { name: 'team/train-0', gpus: 4 },
          { name: 'team/serve', gpus: 1 },
        ],
      },
    ]);
  });

  it('leaves out nodes without GPUs, and takes none as free on a node that takes no pods', () => {
    const nodes = [
      node('cpu', {}),
      node('zero', GPU(0)),
      node('cordoned', GPU(2), {}, { spec: { unschedulable: true } }),
      node('down', GPU(2), {}, { ready: 'Unknown' }),
      node(
        'tainted',
        GPU(2),
        {},
        {
          spec: {
            taints: [
              { key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' },
              { key: 'team', value: 'vision', effect: 'NoSchedule' },
            ],
          },
        },
      ),
    ];
    assert.deepEqual(
      capacitiesOf(nodes, []).map(({ place, gpusFree, note }) => [place, gpusFree, note]),
      [
        ['cordoned', 0, 'cordoned'],
        ['down', 0, 'not ready'],
        ['tainted', 2, 'taint team=vision'],
      ],
    );
  });

  it('does not know what is free if pods may not be listed', () => {
    const [one] = capacitiesOf([node('a', GPU(8), H100)], null);
    assert.deepEqual([one?.gpusFree, one?.gpusTotal, one?.holders], [null, 8, undefined]);
  });

  it('names slices and slots that share a GPU', () => {
    const labels = {
      'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-40GB-MIG-1g.5gb',
      'nvidia.com/mig-1g.5gb.memory': '4864',
    };
    const [slice] = capacitiesOf(
      [node('a', { 'nvidia.com/mig-1g.5gb': '7' }, labels)],
      [pod('p', 'a', { 'nvidia.com/mig-1g.5gb': '1' })],
    );
    assert.deepEqual(
      [slice?.gpu, slice?.memoryMiB, slice?.gpusFree],
      ['NVIDIA A100 SXM4 40GB MIG 1g.5gb', 4864, 6],
    );
    const shared = {
      'nvidia.com/gpu.product': 'Tesla-T4-SHARED',
      'nvidia.com/gpu.memory': '15360',
      'nvidia.com/gpu.replicas': '4',
    };
    const [slots] = capacitiesOf([node('b', GPU(4), shared)], []);
    assert.deepEqual([slots?.gpu, slots?.note], ['Tesla T4', 'slots: 4 share the memory of a GPU']);
  });

  it('reads the labels of clouds', () => {
    const named = (labels: Readonly<Record<string, string>>) =>
      capacitiesOf([node('a', GPU(1), labels)], [])[0]?.gpu;
    assert.equal(named({ 'cloud.google.com/gke-accelerator': 'nvidia-l4' }), 'nvidia l4');
    assert.equal(named({ 'karpenter.k8s.aws/instance-gpu-name': 'a10g' }), 'a10g');
    assert.equal(named({}), null);
  });

  it('counts whole GPUs where HAMi divides their memory, and the most that is free on one', () => {
    const register =
      'GPU-0000aaaa,10,32768,100,NVIDIA-Tesla V100-PCIE-32GB,0,true,0,hami-core:' +
      'GPU-0000bbbb,10,32768,100,NVIDIA-Tesla V100-PCIE-32GB,0,true,1,hami-core:';
    const annotations = { 'hami.io/node-nvidia-register': register };
    const held = {
      'hami.io/vgpu-devices-allocated': 'GPU-0000aaaa,NVIDIA,3000,0:;GPU-0000aaaa,NVIDIA,5000,0:;',
    };
    const [one] = capacitiesOf(
      [node('a', GPU(20), {}, { annotations })],
      [pod('two', 'a', { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '3000' }, { annotations: held })],
    );
    assert.deepEqual(
      [one?.gpu, one?.memoryMiB, one?.gpusTotal, one?.gpusFree, one?.note],
      ['NVIDIA Tesla V100 PCIE 32GB', 32768, 2, 1, 'HAMi: up to 32768 MiB free on one GPU'],
    );
    assert.deepEqual(one?.holders, [{ name: 'team/two', gpus: null, memoryMiB: 8000 }]);
    const json = JSON.stringify([{ id: 'GPU-1', count: 10, devmem: 15360, type: 'Tesla T4', health: false }]);
    const [sick] = capacitiesOf(
      [node('a', GPU(10), {}, { annotations: { 'hami.io/node-nvidia-register': json } })],
      [],
    );
    assert.deepEqual([sick?.gpusTotal, sick?.gpusFree], [1, 0]);
  });

  it('shows who shares a GPU that KAI reserves', () => {
    const pods = [
      pod('gpu-reservation-a', 'a', GPU(1)),
      pod('half', 'a', {}, { annotations: { 'gpu-fraction': '0.5' } }),
      pod('some', 'a', {}, { annotations: { 'gpu-memory': '2000' } }),
    ];
    const [one] = capacitiesOf([node('a', GPU(2), H100)], pods);
    assert.equal(one?.gpusFree, 1);
    assert.deepEqual(one.holders?.slice(1), [
      { name: 'team/half', gpus: 0.5 },
      { name: 'team/some', gpus: null, memoryMiB: 2000 },
    ]);
  });
});

describe('Kubernetes: GPUs of a pod', () => {
  const container = (count: number, more: object = {}) => ({ resources: { limits: GPU(count) }, ...more });

  it('are those of its containers together, or of its largest init container', () => {
    const init = [container(4), container(2, { restartPolicy: 'Always' }), container(3)];
    const own = pod('p', 'a', GPU(1), { initContainers: init });
    // 2 + 1 run in the end; before, 4 alone, and 2 + 3 next to the sidecar.
    assert.equal(gpusOfPod(own).get('nvidia.com/gpu'), 5);
  });

  it('never make what is free negative or a part, whatever a server says', () => {
    const anything = fc.anything({ withBigInt: false }).map(value => (isRecord(value) ? value : { value }));
    fc.assert(
      fc.property(fc.array(anything), fc.array(anything), fc.nat(9), (nodes, pods, count) => {
        const all = [...nodes, node('a', GPU(count), H100)];
        for (const { gpusFree, gpusTotal } of capacitiesOf(all, pods)) {
          assert.ok(gpusFree !== null && gpusFree >= 0 && gpusFree <= gpusTotal);
        }
      }),
      { numRuns: tries(100) },
    );
  });
});
