import { SIZE } from '../size';
import type { OomForm } from './form';
import { deviceWords, killWords } from './words';
import { hostForms } from './hostForms';

/** Forms in order of precedence: messages that name a cause come before those that only report an effect. */
export const oomForms: readonly OomForm[] = [
  {
    kind: 'kv-cache',
    pattern: 'larger than the available KV cache memory',
    source: 'vLLM V1, v1/core/kv_cache_utils.py check_enough_kv_cache_memory',
  },
  { kind: 'kv-cache', pattern: 'No available memory for the cache blocks', source: 'vLLM worker/worker.py' },
  {
    kind: 'kv-cache',
    pattern: 'larger than the maximum number of tokens that can be stored in KV cache',
    source: 'vLLM 0.x worker/worker.py',
  },
  {
    kind: 'kv-cache',
    pattern: 'Not enough memory[.] Please try to increase --mem-fraction-static',
    source: 'SGLang model_runner.py',
  },
  {
    kind: 'kv-cache',
    pattern: '(?:Prefill|Decode) out of memory[.] Try to lower your batch size',
    source: 'SGLang managers/schedule_batch.py',
  },
  {
    kind: 'startup-reservation',
    pattern: 'on startup is less than desired \\w{1,12} memory utilization',
    source: 'vLLM V1 worker/gpu_worker.py',
  },
  {
    kind: 'ray-oom',
    pattern: '(?:Task was|worker\\(s\\) were) killed due to the node running low on memory',
    source: 'Ray 2, memory monitor',
  },
  {
    kind: 'ray-oom',
    pattern: 'exceeds the memory usage threshold of [\\d.]+[.] Ray killed this',
    source: 'Ray 2, the same with its first line lost',
  },
  { kind: 'ray-oom', pattern: 'NODE_OUT_OF_MEMORY', source: 'Ray gcs_worker_manager.cc' },
  {
    kind: 'ray-oom',
    pattern: 'ray[.]exceptions[.]OutOfMemoryError',
    source: 'Ray python/ray/exceptions.py',
  },
  {
    kind: 'ray-oom',
    pattern: '(?<!\\d)[1-9]\\d{0,6} Workers \\(tasks / actors\\) killed due to memory pressure',
    source: 'Ray raylet/node_manager.cc',
  },
  { kind: 'slurm-oom', pattern: 'Detected\\d+ oom[-_]kill event', source: 'slurmstepd 18 and later' },
  { kind: 'slurm-oom', pattern: 'Exceeded (?:job|step) memory limit', source: 'slurmstepd up to 17' },
  {
    kind: 'slurm-oom',
    pattern: '(?:Job|Step) [\\d.]+ exceeded (?:virtual )?memory limit',
    source: 'slurmstepd up to 17',
  },
  { kind: 'slurm-oom', pattern: 'srun: error: [\\w.-]+: tasks? [\\d,-]+: Out Of Memory', source: 'srun' },
  { kind: 'slurm-oom', pattern: '\\bOUT_OF_ME(?:MORY|M?\\+?)', lines: true, source: 'sacct, State' },
  { kind: 'k8s-oomkilled', pattern: 'Reason:? "?OOMKilled', source: 'kubectl describe pod' },
  {
    kind: 'k8s-oomkilled',
    pattern: '\\bOOMKilled\\b(?!"?\\s*:\\s*false)',
    lines: true,
    source: 'kubectl get pods',
  },
  {
    kind: 'k8s-oomkilled',
    pattern: 'The node was low on resource: memory',
    source: 'kubelet eviction/helpers.go',
  },
  { kind: 'linux-oom-killer', pattern: 'oom-kill:constraint=', source: 'mm/oom_kill.c since 4.19' },
  {
    kind: 'linux-oom-killer',
    pattern: 'out of memory: Kill(?:ed)? process',
    source: 'mm/oom_kill.c: "Out of memory:", "Memory cgroup out of memory:"',
  },
  { kind: 'linux-oom-killer', pattern: 'invoked oom-killer', source: 'mm/oom_kill.c dump_header' },
  { kind: 'linux-oom-killer', pattern: "Failed with result 'oom-kill'", source: 'systemd' },
  { kind: 'linux-oom-killer', pattern: 'systemd-oomd\\S* Killed', lines: true, source: 'systemd-oomd' },
  {
    kind: 'shm',
    pattern: 'insufficient shared memory \\(shm\\)',
    source: 'torch utils/data/_utils/signal_handling.py',
  },
  {
    kind: 'shm',
    // "Too many open files" is a different limit.
    pattern:
      'unable to (?:open shared memory object|write to file) </?torch_(?![^>]{0,80}>(?:in read-write mode)?: Too many open files)',
    source: 'torch MapAllocator.cpp',
  },
  { kind: 'shm', pattern: 'unable to mmap \\d+ bytes from file </torch_', source: 'torch MapAllocator.cpp' },
  {
    kind: 'shm',
    pattern: 'DataLoader worker \\(pid(?:\\(s\\))? [\\d,]{1,200}\\) is killed by signal: Bus error',
    source: 'torch csrc/DataLoader.cpp',
  },
  { kind: 'shm', pattern: 'workers are out of shared memory', source: 'torch csrc/DataLoader.cpp' },
  { kind: 'shm', pattern: 'unable to allocate shared memory \\(shm\\)', source: 'torch MapAllocator.cpp' },
  {
    kind: 'shm',
    pattern: "No space left on device(?: \\(28\\))?:? '?/?(?:dev/shm/|torch_|psm_)",
    source: 'multiprocessing/shared_memory.py',
  },
  {
    kind: 'shm',
    pattern: 'synchronize[.]py", line \\d+, in __init__ [^|]{0,300}No space left on device',
    source: 'multiprocessing/synchronize.py SemLock: semaphores are files there',
  },
  {
    kind: 'shm',
    pattern: '(?:Error while creating shared memory segment|failed to extend /dev/shm)',
    source: 'NCCL misc/shmutils.cc',
  },
  {
    kind: 'shm',
    pattern:
      'Failed to (?:create|open) shared memory|/dev/shm[^,;]{0,60} (?:is full|No space left)|NCCL WARN Call to \\w{1,20} failed ?: No space left|unable to resize file <[^>]{0,80}> to the right size',
    source: 'NCCL misc/shmutils.cc; torch MapAllocator.cpp',
  },
  {
    kind: 'nccl-alloc',
    pattern: "NCCL WARN (?:Cuda|HIP) failure (?:2 )?'out of memory'",
    source: 'NCCL include/alloc.h',
  },
  {
    kind: 'nccl-alloc',
    pattern:
      "ncclUnhandledCudaError[^|]{0,400}out of memory|NCCL (?:error|version)[^|]{0,400}Cuda failure (?:2 )?'out of memory'",
    source: 'torch ProcessGroupNCCL.cpp',
  },
  {
    kind: 'nccl-alloc',
    pattern: 'Failed to CUDA (?:host )?(?:calloc|malloc)',
    source: 'NCCL include/alloc.h',
  },
  {
    kind: 'cublas-alloc',
    pattern: '(?:CUBLAS|HIPBLAS|ROCBLAS|CUSOLVER|CUSPARSE|CUFFT)_(?:STATUS_)?ALLOC_FAILED',
    source: 'torch CUDABlas.cpp',
  },
  {
    kind: 'cudnn-alloc',
    pattern: 'Unable to find a valid cuDNN algorithm to run convolution',
    source: 'torch cudnn Conv_v7.cpp',
  },
  { kind: 'cudnn-alloc', pattern: 'CUDNN_STATUS_(?:\\w{0,40}_)?ALLOC(?:ATION)?_FAILED', source: 'cuDNN' },
  { kind: 'gpu-shortage', backend: 'rocm', pattern: 'HIP out of memory', source: 'torch for ROCm' },
  {
    kind: 'gpu-shortage',
    backend: 'mps',
    pattern: 'MPS backend out of memory',
    source: 'torch MPSAllocator.mm',
  },
  {
    kind: 'gpu-shortage',
    backend: 'xpu',
    pattern: 'XPU out of memory',
    source: 'torch XPUCachingAllocator.cpp',
  },
  {
    kind: 'gpu-shortage',
    backend: 'npu',
    pattern: 'NPU out of memory',
    source: 'torch_npu NPUCachingAllocator.cpp',
  },
  {
    kind: 'gpu-shortage',
    pattern: '(?<!(?:avoid|prevent|ing|in case of|if you get|you encounter|causes?)a?)CUDA out of memory',
    source: 'torch CUDACachingAllocator.cpp',
  },
  {
    kind: 'gpu-shortage',
    pattern: `Tried to allocate ${SIZE}[.]? (?:GPU\\d+ has|\\(GPU\\d+;)`,
    source: 'the same with its first half lost',
  },
  { kind: 'gpu-shortage', pattern: 'reserved by PyTorch but unallocated', source: 'the same' },
  {
    kind: 'gpu-shortage',
    pattern: 'Allocation on device \\d* would exceed allowed memory',
    source: 'torch CUDAMallocAsyncAllocator.cpp',
  },
  {
    kind: 'gpu-shortage',
    backend: 'paddle',
    pattern:
      'Out of memory error on \\w{1,12}?\\d+[.] Cannot allocate|enforce allocating <= available failed',
    source: 'paddle cuda_allocator.cc',
  },
  {
    kind: 'gpu-fragmentation',
    backend: 'xla',
    pattern:
      '(?:RESOURCE_EXHAUSTED|Resource exhausted):? Attempting to (?:reserve|allocate[^|]{0,120}?Due to fragmentation)',
    source: 'XLA best_fit_allocator of TPUs: enough is free, but not in one piece at the bottom',
  },
  {
    kind: 'gpu-fragmentation',
    pattern:
      '(?<!maybe|mightbe|couldbe|canbe)(?:due to|because of|caused by) (?:GPU |CUDA |VRAM )?(?:memory )?fragmentation|(?:GPU memory|VRAM|HBM) is (?:too |heavily )?fragmented',
    source: 'words',
  },
  {
    kind: 'gpu-shortage',
    backend: 'xla',
    pattern:
      '(?:RESOURCE_EXHAUSTED|Resource exhausted):? Out of memory|Ran out of memory in memory space \\w',
    source: 'XLA bfc_allocator.cc, JAX',
  },
  {
    kind: 'host-alloc',
    backend: 'tensorflow',
    pattern: 'OOM when allocating tensor (?:with|of) shape[^|]{0,200}?device:CPU',
    source: 'tensorflow framework/op_kernel.cc: the machine’s memory',
  },
  {
    kind: 'gpu-shortage',
    backend: 'tensorflow',
    pattern: `OOM when allocating tensor (?:with|of) shape|ran out of memory trying to allocate ${SIZE} ?[(),]`,
    source: 'tensorflow framework/op_kernel.cc',
  },
  {
    kind: 'gpu-shortage',
    pattern: 'THCudaCheck FAIL file=\\S{1,200}? error=2: out of memory',
    source: 'torch7, torch up to 0.4',
  },
  {
    kind: 'gpu-shortage',
    pattern: 'cudaMalloc failed: out of memory|(?:CUDA|HIP) error \\d{1,4} at \\S{1,200}: out of memory',
    source: 'ggml-cuda.cu',
  },
  {
    kind: 'gpu-shortage',
    pattern: '(?:failed|unable) to allocate (?:CUDA|ROCm|Vulkan|Metal|SYCL)\\d* buffer',
    source: 'ggml-alloc.c, llama.cpp src/llama-model.cpp',
  },
  {
    kind: 'gpu-shortage',
    pattern: 'CUDA Error: out of memory at \\S{0,80}cumem_allocator',
    source: 'vLLM csrc/cumem_allocator.cpp',
  },
  {
    kind: 'gpu-shortage',
    pattern: 'Not enough memory to handle \\d+ prefill tokens',
    source: 'text-generation-inference',
  },
  {
    kind: 'gpu-shortage',
    pattern: 'Make sure you have enough GPU RAM to fit the quantized model',
    source: 'transformers quantizer_bnb_4bit.py',
  },
  { kind: 'gpu-shortage', pattern: 'cudaErrorMemoryAllocation', source: 'CUDA runtime' },
  {
    kind: 'gpu-shortage',
    pattern: '(?:CUDA|HIP) (?:runtime |driver )?(?:error|failure)(?: 2| \\(2\\))?:? out of memory',
    source: 'CUDA runtime',
  },
  { kind: 'gpu-shortage', pattern: 'std::bad_alloc: out_of_memory: CUDA', source: 'RMM' },
  { kind: 'gpu-shortage', pattern: 'cupy[.]cuda[.]memory[.]OutOfMemoryError', source: 'CuPy' },
  {
    kind: 'gpu-shortage',
    pattern: 'OutOfMemoryError: Allocation on device',
    source: 'torch CUDAMallocAsyncAllocator.cpp',
  },
  { kind: 'gpu-shortage', pattern: 'CUDA failed with error out of memory', source: 'CTranslate2' },
  {
    kind: 'gpu-shortage',
    pattern: 'NvMapMemAlloc\\w{0,40}: \\d{1,20} error 12\\b',
    source: 'Jetson’s NvMap',
  },
  { kind: 'gpu-shortage', pattern: 'Cuda Runtime \\(out of memory\\)', source: 'TensorRT' },
  {
    kind: 'gpu-shortage',
    pattern:
      'Requested amount of GPU memory \\(\\d+ bytes\\) could not be allocated|workspace Allocation of size :*\\d{1,20} failed',
    source: 'TensorRT; Habana synapse_helpers',
  },
  {
    kind: 'gpu-shortage',
    pattern: 'Failed to allocate memory for requested buffer of size',
    source: 'onnxruntime bfc_arena.cc',
  },
  {
    kind: 'gpu-shortage',
    pattern: 'Error out of memory at line \\d+ in file',
    source: 'bitsandbytes csrc/pythonInterface.c',
  },
  {
    kind: 'gpu-shortage',
    pattern: 'No executable batch size found, reached zero',
    source: 'accelerate utils/memory.py',
  },
  { kind: 'gpu-shortage', pattern: 'OutOfDeviceMemory', source: 'Vulkan' },
  {
    kind: 'gpu-shortage',
    backend: 'mps',
    pattern: 'kIOGPUCommandBufferCallbackErrorOutOfMemory',
    source: 'Metal',
  },
  {
    kind: 'gpu-cap',
    backend: 'mps',
    pattern:
      '\\[metal::malloc\\] Attempting to allocate \\d+ bytes which is greater than the maximum allowed buffer size',
    source: 'MLX',
  },
  { kind: 'gpu-shortage', backend: 'rocm', pattern: 'hipErrorOutOfMemory', source: 'HIP runtime' },
  {
    kind: 'gpu-shortage',
    backend: 'xpu',
    pattern: '(?:UR|ZE)_RESULT_ERROR_OUT_OF_(?:DEVICE_MEMORY|RESOURCES)',
    source: 'level-zero',
  },
  { kind: 'gpu-shortage', pattern: '(?<!on host: )CUDA_ERROR_OUT_OF_MEMORY', source: 'CUDA driver' },
  {
    kind: 'gpu-shortage',
    backend: 'xla',
    pattern:
      '(?:RESOURCE_EXHAUSTED|ResourceExhaustedError):? (?:\\S{0,40}: )?(?:XLA:TPU compile permanent error[.] )?(?:failed to allocate (?:memory|request)|Ran out of memory)',
    source: 'XLA, TensorFlow',
  },
  {
    kind: 'gpu-shortage',
    backend: 'tensorflow',
    pattern: 'Dst tensor is not (?:copied|initialized)',
    source: 'tensorflow gpu_util.cc: the copy found no room',
  },
  ...deviceWords,
  ...hostForms,
  ...killWords,
];
