import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { explainOom } from '../../../src/core/output/oom/explain';
import { oomForms } from '../../../src/core/output/oom/forms';
import { kindTexts } from '../../../src/core/output/oom/kinds';
import type { OomKind } from '../../../src/core/output/oom/report';

const GIB = 2 ** 30;
const MIB = 2 ** 20;

/** Our own texts in each form that the reference lists, with the kind that results from its arithmetic. */
const texts: readonly (readonly [kind: OomKind, text: string])[] = [
  [
    'gpu-shortage',
    'CUDA error 2 at /go/src/llm/llama.cpp/ggml-cuda.cu:123: out of memory\ncurrent device: 1',
  ],
  [
    'gpu-fragmentation',
    'RESOURCE_EXHAUSTED: Attempting to reserve 5.00G at the bottom of memory. That was not possible. There are 6.00G free, 0B reserved, and 2.00G reservable.',
  ],
  ['gpu-shortage', 'THCudaCheck FAIL file=/tmp/THCStorage.cu line=66 error=2 : out of memory'],
  [
    'gpu-shortage',
    'RuntimeError: CUDA out of memory. Tried to allocate 4.00 GiB (GPU 1; 10.00 GiB total capacity; 8.00 GiB already allocated; 1.00 GiB free; 100.00 MiB cached)',
  ],
  [
    'gpu-fragmentation',
    'RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 10.00 GiB total capacity; 6.00 GiB already allocated; 1.00 GiB free; 8.50 GiB reserved in total by PyTorch)',
  ],
  [
    'gpu-neighbour',
    'RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 24.00 GiB total capacity; 3.00 GiB already allocated; 1.00 GiB free; 3.20 GiB reserved in total by PyTorch)',
  ],
  [
    'gpu-neighbour',
    'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 24.00 GiB of which 512.00 MiB is free. Process 77 has 9.00 GiB memory in use. Including non-PyTorch memory, this process has 14.00 GiB memory in use. Of the allocated memory 13.40 GiB is allocated by PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated.',
  ],
  [
    'gpu-cap',
    'CUDA out of memory. Tried to allocate 3.00 GiB (GPU 0; 24.00 GiB total capacity; 5.00 GiB already allocated; 18.00 GiB free; 6.00 GiB allowed; 5.10 GiB reserved in total by PyTorch)',
  ],
  [
    'gpu-refused',
    'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 192.00 MiB. GPU 0 has a total capacity of 31.89 GiB of which 13.22 GiB is free.',
  ],
  [
    'gpu-shortage',
    'NPU out of memory. Tried to allocate 2.00 GiB (NPU 3; 61.00 GiB total capacity; 59.00 GiB already allocated; 59.00 GiB current active; 1.00 GiB free; 59.50 GiB reserved in total by PyTorch)',
  ],
  [
    'gpu-shortage',
    'torch.OutOfMemoryError: XPU out of memory. Tried to allocate 9.00 GiB. GPU 0 has a total capacity of 15.00 GiB.',
  ],
  [
    'cublas-alloc',
    'RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`',
  ],
  ['cudnn-alloc', 'RuntimeError: Unable to find a valid cuDNN algorithm to run convolution'],
  ['nccl-alloc', "node:1:2 [0] include/alloc.h:228 NCCL WARN Cuda failure 2 'out of memory'"],
  ['gpu-shortage', 'RESOURCE_EXHAUSTED: Out of memory while trying to allocate 21034602332 bytes.'],
  ['gpu-shortage', 'ResourceExhaustedError: OOM when allocating tensor with shape[8,8] and type float'],
  [
    'gpu-shortage',
    'Out of memory error on GPU 0. Cannot allocate 9.4MB memory on GPU 0, 4.0GB memory has been allocated and available memory is only 0.0B.',
  ],
  [
    'gpu-shortage',
    'ValueError: Some modules are dispatched on the CPU or the disk. Make sure you have enough GPU RAM to fit the quantized model.',
  ],
  [
    'kv-cache',
    'ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`',
  ],
  [
    'kv-cache',
    "The model's max seq len (8192) is larger than the maximum number of tokens that can be stored in KV cache (4096).",
  ],
  [
    'kv-cache',
    'RuntimeError: Not enough memory. Please try to increase --mem-fraction-static. Current value: 0.8',
  ],
  [
    'startup-reservation',
    'ValueError: Free memory on device cuda:1 (10.00/24.00 GiB) on startup is less than desired GPU memory utilization (0.9, 21.60 GiB).',
  ],
  ['gpu-shortage', 'RuntimeError: CUDA Error: out of memory at /workspace/csrc/cumem_allocator.cpp:62'],
  [
    'gpu-shortage',
    'RuntimeError: Not enough memory to handle 4096 prefill tokens. You need to decrease `--max-batch-prefill-tokens`',
  ],
  [
    'gpu-shortage',
    'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 590.07 MiB on device 0: cudaMalloc failed: out of memory',
  ],
  ['host-alloc', 'model requires more system memory (2.7 GiB) than is available (1.6 GiB)'],
  [
    'host-alloc',
    'numpy.core._exceptions._ArrayMemoryError: Unable to allocate 273. GiB for an array with shape (101, 363246735)',
  ],
  [
    'host-alloc',
    "RuntimeError: [enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes.",
  ],
  ['ray-oom', 'ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.'],
  ['ray-oom', '(raylet) 2 worker(s) were killed due to the node running low on memory.'],
  ['slurm-oom', 'slurmstepd: error: Job 41176 exceeded memory limit (3940736 > 2068480), being killed'],
  [
    'slurm-oom',
    'slurmstepd: error: Detected 1 oom-kill event(s) in StepId=1.batch. Some of your processes may have been killed by the cgroup out-of-memory handler.',
  ],
  ['slurm-oom', '41 train gpu me 1 OUT_OF_ME+ 0:125'],
  [
    'linux-oom-killer',
    '[1.2] Out of memory: Killed process 12 (python3) total-vm:8kB, anon-rss:7981200kB, file-rss:0kB',
  ],
  ['linux-oom-killer', '[1.2] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),oom_memcg=/x'],
  ['k8s-oomkilled', 'Last State: Terminated\n  Reason: OOMKilled\n  Exit Code: 137'],
  ['host-ram-kill', 'failed (exitcode: -9) local_rank: 3 (pid: 11) of binary: /usr/bin/python'],
  ['host-ram-kill', 'main process exited with exit code 137'],
  ['host-ram-kill', 'train.sh: line 29: 2976792 Killed                  python train.py'],
  [
    'shm',
    'ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).',
  ],
  ['shm', 'RuntimeError: unable to write to file </torch_287_2714559211_8>: No space left on device (28)'],
  ['disk-full', 'OSError: [Errno 28] No space left on device'],
  // As users pasted them into issues.
  [
    'shm',
    "RuntimeError: DataLoader worker (pid 46794) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory. Please try to raise your shared memory limit.",
  ],
  [
    'shm',
    "DataLoader worker (pid 270071) is killed by signal: \nBus error. It is possible that dataloader's workers are out of shared memory. \nPlease try to raise your shared memory limit. ",
  ],
  [
    'shm',
    'RuntimeError: unable to allocate shared memory(shm) for file </torch_1_2>: No space left on device (28)',
  ],
  ['shm', "OSError: [Errno 28] No space left on device: '/psm_3f1a2b'"],
  [
    'shm',
    'include/shmutils.h:157 NCCL WARN Error while creating shared memory segment /dev/shm/nccl-4vZ2qk (size 9637888)',
  ],
  [
    'shm',
    'include/shm.h:48 NCCL WARN Error while creating shared memory segment nccl-shm-recv-250a7cc850ba9298-0-1-3 (size 9637888)',
  ],
  [
    'ray-oom',
    'Memory on the node (IP: 1.2.3.4, ID: 7) where the task (actor ID: 0, name=W.__init__, pid=308, memory used=11.15GB) was running was 12.49GB / 13.15GB (0.950003), which exceeds the memory usage threshold of 0.95. Ray killed this worker (ID: 7)',
  ],
  [
    'gpu-cap',
    'torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 MiB. GPU 0 has a total capacity of 23.41 GiB of which 21.22 GiB is free. 1.05 GiB allowed; Of the allocated memory 1017.01 MiB is allocated by PyTorch, and 54.99 MiB is reserved by PyTorch but unallocated.',
  ],
  ['host-alloc', 'RuntimeError: $ Torch: not enough memory: you tried to allocate 72GB. Buy new RAM!'],
  ['kv-cache', 'RuntimeError: Prefill out of memory. Try to lower your batch size.'],
  [
    'ray-oom',
    '(raylet) node_manager.cc:3040: 2 Workers (tasks / actors) killed due to memory pressure (OOM)',
  ],
  ['slurm-oom', 'srun: error: node07: task 3: Out Of Memory'],
  ['gpu-shortage', 'RuntimeError: CUDA failed with error out of memory'],
  [
    'gpu-shortage',
    'torch.OutOfMemoryError: Allocation on device \nThis error means you ran out of memory on your GPU.',
  ],
  [
    'gpu-shortage',
    'W0000 cuda_executor.cc: CUDA_ERROR_OUT_OF_MEMORY: out of memory; total memory reported: 8589934592',
  ],
  ['host-alloc', 'OSError: [WinError 1455] The paging file is too small for this operation to complete.'],
  [
    'gpu-fragmentation',
    'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. Of the allocated memory 30.00 GiB is allocated by PyTorch, and 5.00 GiB is reserved by PyTorch but unallocated.',
  ],
];

describe('forms of running out of memory', () => {
  for (const [kind, text] of texts) {
    it(`${kind}: ${text.slice(0, 80)}`, () => assert.equal(explainOom(text)?.kind, kind));
  }

  it('each say where they were seen', () => {
    assert.ok(oomForms.every(({ source }) => source.length > 2));
  });
});

describe('amounts of a text', () => {
  it('are those of one message, where several ranks print one each', () => {
    const whole = (rank: number, free: string): string =>
      `[rank${rank}]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB. GPU ${rank} has a total capacity of 24.00 GiB of which ${free} is free. Of the allocated memory 20.00 GiB is allocated by PyTorch, and 64.00 MiB is reserved by PyTorch but unallocated.`;
    const cut = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 5 has a total';
    const numbers = explainOom([cut, whole(1, '1.00 GiB'), whole(2, '3.00 GiB')].join('\n'))?.numbers;
    assert.deepEqual([numbers?.triedBytes, numbers?.freeBytes, numbers?.gpuIndex], [4 * GIB, GIB, 1]);
  });

  it('are the printed ones, in bytes', () => {
    const text =
      '[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 1 has a total capacity of 24.00 GiB of which 512.00 MiB is free. Process 9 has 1.00 GiB memory in use. Including non-PyTorch memory, this process has 22.00 GiB memory in use. Of the allocated memory 21.00 GiB is allocated by PyTorch, and 256.00 MiB is reserved by PyTorch but unallocated.';
    assert.deepEqual(explainOom(text)?.numbers, {
      triedBytes: 2.5 * GIB,
      capacityBytes: 24 * GIB,
      freeBytes: 512 * MIB,
      allocatedBytes: 21 * GIB,
      reservedUnallocatedBytes: 256 * MIB,
      reservedTotalBytes: null,
      processBytes: 22 * GIB,
      otherAllocationsBytes: null,
      ownAllocatedBytes: null,
      allowedBytes: null,
      gpuIndex: 1,
      rank: 3,
      otherProcesses: [{ pid: 9, bytes: GIB }],
    });
  });

  it('take a process that holds what torch holds for this one', () => {
    const text =
      'CUDA out of memory. Tried to allocate 2.03 GiB. GPU 0 has a total capacity of 47.50 GiB of which 748.56 MiB is free. Process 137263 has 46.77 GiB memory in use. Of the allocated memory 45.13 GiB is allocated by PyTorch, and 1.16 GiB is reserved by PyTorch but unallocated.';
    assert.equal(explainOom(text)?.kind, 'gpu-shortage');
  });
});

/** From programs that continued or died of something else. */
const lookAlikes = [
  'Allocator (GPU_0_bfc) ran out of memory trying to allocate 3.46GiB with freed_by_count=0. The caller indicates that this is not a failure, but may mean that there could be performance gains if more memory were available.',
  '| WARNING: attempting to recover from OOM in forward/backward pass\n| OOM: Ran out of memory with exception: CUDA out of memory. Tried to allocate 62.00 MiB (GPU 0; 15.90 GiB total capacity; 14.59 GiB already allocated; 9.88 MiB free; 15.19 GiB reserved in total by PyTorch)',
  'RuntimeError: CUDA error: device-side assert triggered',
  "transport/nvls.cc:621 NCCL WARN Cuda failure 1 'invalid argument'",
  '2 pytorch allocator cache flushes since last step. this happens when there is high memory pressure',
  'KV cache pool is full. Retract requests. #retracted_reqs: 1',
  'Last State: Terminated\n  Reason: Error\n  Exit Code: 143',
  'slurmstepd: error: *** JOB 41239 ON fnode01 CANCELLED AT 2016-11-30T11:22:57 DUE TO TIME LIMIT ***',
  'If out-of-memory error occurs during cudagraph capture, consider decreasing `gpu_memory_utilization`',
  'UserWarning: expandable_segments not supported on this platform',
  "{'train_runtime': 3.1, 'epoch': 1.0}\nRuntimeError: DataLoader worker (pid 28841) is killed by signal: Killed.",
  'epoch 001:     19 / 3373 loss=14.704, num_updates=20, clip=100, oom=0, train_wall=9',
  'Killed by the user, stopping.',
  'RuntimeError: DataLoader worker (pid 77) is killed by signal: Segmentation fault.',
  'RuntimeError: DataLoader worker (pid(s) 77, 78) exited unexpectedly',
  'slurmstepd: error: *** STEP 9.0 ON n1 CANCELLED AT 2024-01-01T00:00:00 DUE TO TIME LIMIT ***\nsrun: error: n1: task 0: Killed\nfailed (exitcode: -9) local_rank: 0',
  'Root Cause (first observed failure):\n[0]:\n  time : 2024-01-01_10:00:00\n  rank : 1 (local_rank: 1)\n  exitcode : 1 (pid: 12)\nOther failures:\n  exitcode : -9 (pid: 13)\n  traceback : Signal 9 (SIGKILL) received by PID 13',
  '"State": {"Status": "exited", "OOMKilled": false, "ExitCode": 1}',
  'RuntimeError: unable to open shared memory object </torch_1_2> in read-write mode: Too many open files (24)',
  'Use a smaller batch to avoid CUDA out of memory errors.',
  'triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 131072, Hardware limit: 101376.',
];

describe('look-alikes', () => {
  for (const text of lookAlikes) it(text.slice(0, 80), () => assert.equal(explainOom(text), null));
});

describe('kinds of running out of memory', () => {
  it('are those of docs/output.md, in the same words', () => {
    const page = readFileSync('docs/output.md', 'utf8').replace(/ +/g, ' ');
    for (const [kind, { meaning, advice }] of Object.entries(kindTexts)) {
      assert.ok(page.includes(`| \`${kind}\` | ${meaning} | ${advice} |`), kind);
    }
  });

  it('have the amounts and the device of llama.cpp and of TPUs', () => {
    assert.equal(
      explainOom('CUDA error 2 at a/ggml-cuda.cu:1: out of memory\ncurrent device: 1')?.numbers.gpuIndex,
      1,
    );
    const tpu = explainOom(
      'RESOURCE_EXHAUSTED: Attempting to reserve 5.00G at the bottom of memory. That was not possible. There are 6.00G free, 0B reserved, and 2.00G reservable.',
    );
    assert.deepEqual([tpu?.numbers.triedBytes, tpu?.numbers.freeBytes], [5 * GIB, 6 * GIB]);
  });

  it('have the amounts that XLA, TensorFlow and Gaudi print in bytes, and a rank behind a colon', () => {
    const numbersOf = (text: string) => explainOom(text)?.numbers;
    const xla = numbersOf(
      'RESOURCE_EXHAUSTED: Failed to allocate request for 176.00MiB (184549376B) on device ordinal 3',
    );
    assert.deepEqual([xla?.triedBytes, xla?.gpuIndex], [176 * MIB, 3]);
    const old = 'failed to allocate 6.69M (7012352 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY';
    assert.equal(numbersOf(old)?.triedBytes, 7_012_352);
    const gaudi = 'FATAL ERROR :: MODULE:SYNHELPER workspace Allocation of size ::14493741952 failed';
    assert.equal(numbersOf(gaudi)?.triedBytes, 14_493_741_952);
    assert.equal(numbersOf('rank:  3 | CRITICAL | CUDA out of memory.')?.rank, 3);
  });

  it('are of a kind in other words, too', () => {
    const nvMap = explainOom('NvMapMemAllocInternalTagged: 1075072515 error 12  (ENOMEM)');
    assert.deepEqual([nvMap?.kind, nvMap?.numbers.triedBytes], ['gpu-shortage', 1_075_072_515]);
    assert.equal(explainOom('Training task exit with status code 137')?.kind, 'host-ram-kill');
    const named = explainOom('I always get this (ran out of memory trying to allocate 5.96GiB )');
    assert.equal(named?.kind, 'gpu-shortage');
  });

  it('are the neighbors where the driver refuses what seems to be free', () => {
    const text =
      'CUDA out of memory. Tried to allocate 2.00 MiB (GPU 0; 7.79 GiB total capacity; 566.32 MiB already allocated; 3.44 MiB free; 596.00 MiB reserved in total by PyTorch)';
    assert.equal(explainOom(text)?.kind, 'gpu-neighbour');
    assert.equal(explainOom(text.replace('7.79 GiB', '1.00 GiB'))?.kind, 'gpu-shortage');
  });
});
