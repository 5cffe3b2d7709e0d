import { SIZE } from '../size';
import { formsOf } from './form';
import type { OomForm } from './form';
import { deviceWords, killWords } from './words';

/** Forms in order of precedence: messages that name a cause come before those that only report an effect. */
export const oomForms: readonly OomForm[] = [
  ...formsOf('kv-cache', [
    [
      'larger than the available KV cache memory',
      'vLLM V1, v1/core/kv_cache_utils.py check_enough_kv_cache_memory',
    ],
    ['No available memory for the cache blocks', 'vLLM worker/worker.py'],
    ['larger than the maximum number of tokens that can be stored in KV cache', 'vLLM 0.x worker/worker.py'],
    ['Not enough memory[.] Please try to increase --mem-fraction-static', 'SGLang model_runner.py'],
    ['(?:Prefill|Decode) out of memory[.] Try to lower your batch size', 'SGLang managers/schedule_batch.py'],
  ]),
  ...formsOf('startup-reservation', [
    ['on startup is less than desired \\w{1,12} memory utilization', 'vLLM V1 worker/gpu_worker.py'],
  ]),
  ...formsOf('ray-oom', [
    ['(?:Task was|worker\\(s\\) were) killed due to the node running low on memory', 'Ray 2, memory monitor'],
    [
      'exceeds the memory usage threshold of [\\d.]+[.] Ray killed this',
      'Ray 2, the same with its first line lost',
    ],
    ['NODE_OUT_OF_MEMORY', 'Ray gcs_worker_manager.cc'],
    ['ray[.]exceptions[.]OutOfMemoryError', 'Ray python/ray/exceptions.py'],
    [
      '(?<!\\d)[1-9]\\d{0,6} Workers \\(tasks / actors\\) killed due to memory pressure',
      'Ray raylet/node_manager.cc',
    ],
  ]),
  ...formsOf('slurm-oom', [
    ['Detected\\d+ oom[-_]kill event', 'slurmstepd 18 and later'],
    ['Exceeded (?:job|step) memory limit', 'slurmstepd up to 17'],
    ['(?:Job|Step) [\\d.]+ exceeded (?:virtual )?memory limit', 'slurmstepd up to 17'],
    ['srun: error: [\\w.-]+: tasks? [\\d,-]+: Out Of Memory', 'srun'],
    ['\\bOUT_OF_ME(?:MORY|M?\\+?)', 'sacct, State', { lines: true }],
  ]),
  ...formsOf('k8s-oomkilled', [
    ['Reason:? "?OOMKilled', 'kubectl describe pod'],
    ['\\bOOMKilled\\b(?!"?\\s*:\\s*false)', 'kubectl get pods', { lines: true }],
    ['The node was low on resource: memory', 'kubelet eviction/helpers.go'],
  ]),
  ...formsOf('linux-oom-killer', [
    ['oom-kill:constraint=', 'mm/oom_kill.c since 4.19'],
    ['out of memory: Kill(?:ed)? process', 'mm/oom_kill.c: "Out of memory:", "Memory cgroup out of memory:"'],
    ['invoked oom-killer', 'mm/oom_kill.c dump_header'],
    ["Failed with result 'oom-kill'", 'systemd'],
    ['systemd-oomd\\S* Killed', 'systemd-oomd', { lines: true }],
  ]),
  ...formsOf('shm', [
    ['insufficient shared memory \\(shm\\)', 'torch utils/data/_utils/signal_handling.py'],
    // "Too many open files" is a different limit.
    [
      'unable to (?:open shared memory object|write to file) </?torch_(?![^>]{0,80}>(?:in read-write mode)?: Too many open files)',
      'torch MapAllocator.cpp',
    ],
    ['unable to mmap \\d+ bytes from file </torch_', 'torch MapAllocator.cpp'],
    [
      'DataLoader worker \\(pid(?:\\(s\\))? [\\d,]{1,200}\\) is killed by signal: Bus error',
      'torch csrc/DataLoader.cpp',
    ],
    ['workers are out of shared memory', 'torch csrc/DataLoader.cpp'],
    ['unable to allocate shared memory \\(shm\\)', 'torch MapAllocator.cpp'],
    [
      "No space left on device(?: \\(28\\))?:? '?/?(?:dev/shm/|torch_|psm_)",
      'multiprocessing/shared_memory.py',
    ],
    [
      'synchronize[.]py", line \\d+, in __init__ [^|]{0,300}No space left on device',
      'multiprocessing/synchronize.py SemLock: semaphores are files there',
    ],
    ['(?:Error while creating shared memory segment|failed to extend /dev/shm)', 'NCCL misc/shmutils.cc'],
    [
      'Failed to (?:create|open) shared memory|/dev/shm[^,;]{0,60} (?:is full|No space left)|NCCL WARN Call to \\w{1,20} failed ?: No space left|unable to resize file <[^>]{0,80}> to the right size',
      'NCCL misc/shmutils.cc; torch MapAllocator.cpp',
    ],
  ]),
  ...formsOf('nccl-alloc', [
    ["NCCL WARN (?:Cuda|HIP) failure (?:2 )?'out of memory'", 'NCCL include/alloc.h'],
    [
      "ncclUnhandledCudaError[^|]{0,400}out of memory|NCCL (?:error|version)[^|]{0,400}Cuda failure (?:2 )?'out of memory'",
      'torch ProcessGroupNCCL.cpp',
    ],
    ['Failed to CUDA (?:host )?(?:calloc|malloc)', 'NCCL include/alloc.h'],
  ]),
  ...formsOf('cublas-alloc', [
    ['(?:CUBLAS|HIPBLAS|ROCBLAS|CUSOLVER|CUSPARSE|CUFFT)_(?:STATUS_)?ALLOC_FAILED', 'torch CUDABlas.cpp'],
  ]),
  ...formsOf('cudnn-alloc', [
    ['Unable to find a valid cuDNN algorithm to run convolution', 'torch cudnn Conv_v7.cpp'],
    ['CUDNN_STATUS_(?:\\w{0,40}_)?ALLOC(?:ATION)?_FAILED', 'cuDNN'],
  ]),
  ...formsOf('gpu-shortage', [
    ['HIP out of memory', 'torch for ROCm', { backend: 'rocm' }],
    ['MPS backend out of memory', 'torch MPSAllocator.mm', { backend: 'mps' }],
    ['XPU out of memory', 'torch XPUCachingAllocator.cpp', { backend: 'xpu' }],
    ['NPU out of memory', 'torch_npu NPUCachingAllocator.cpp', { backend: 'npu' }],
    [
      '(?<!(?:avoid|prevent|ing|in case of|if you get|you encounter|causes?)a?)CUDA out of memory',
      'torch CUDACachingAllocator.cpp',
    ],
    [`Tried to allocate ${SIZE}[.]? (?:GPU\\d+ has|\\(GPU\\d+;)`, 'the same with its first half lost'],
    ['reserved by PyTorch but unallocated', 'the same'],
    ['Allocation on device \\d* would exceed allowed memory', 'torch CUDAMallocAsyncAllocator.cpp'],
    [
      'Out of memory error on \\w{1,12}?\\d+[.] Cannot allocate|enforce allocating <= available failed',
      'paddle cuda_allocator.cc',
      { backend: 'paddle' },
    ],
  ]),
  ...formsOf('gpu-fragmentation', [
    [
      '(?:RESOURCE_EXHAUSTED|Resource exhausted):? Attempting to (?:reserve|allocate[^|]{0,120}?Due to fragmentation)',
      'XLA best_fit_allocator of TPUs: enough is free, but not in one piece at the bottom',
      { backend: 'xla' },
    ],
    [
      '(?<!maybe|mightbe|couldbe|canbe)(?:due to|because of|caused by) (?:GPU |CUDA |VRAM )?(?:memory )?fragmentation|(?:GPU memory|VRAM|HBM) is (?:too |heavily )?fragmented',
      'words',
    ],
  ]),
  ...formsOf('gpu-shortage', [
    [
      '(?:RESOURCE_EXHAUSTED|Resource exhausted):? Out of memory|Ran out of memory in memory space \\w',
      'XLA bfc_allocator.cc, JAX',
      { backend: 'xla' },
    ],
  ]),
  ...formsOf('host-alloc', [
    [
      'OOM when allocating tensor (?:with|of) shape[^|]{0,200}?device:CPU',
      'tensorflow framework/op_kernel.cc: the machine’s memory',
      { backend: 'tensorflow' },
    ],
  ]),
  ...formsOf('gpu-shortage', [
    [
      `OOM when allocating tensor (?:with|of) shape|ran out of memory trying to allocate ${SIZE} ?[(),]`,
      'tensorflow framework/op_kernel.cc',
      { backend: 'tensorflow' },
    ],
    ['THCudaCheck FAIL file=\\S{1,200}? error=2: out of memory', 'torch7, torch up to 0.4'],
    [
      'cudaMalloc failed: out of memory|(?:CUDA|HIP) error \\d{1,4} at \\S{1,200}: out of memory',
      'ggml-cuda.cu',
    ],
    [
      '(?:failed|unable) to allocate (?:CUDA|ROCm|Vulkan|Metal|SYCL)\\d* buffer',
      'ggml-alloc.c, llama.cpp src/llama-model.cpp',
    ],
    ['CUDA Error: out of memory at \\S{0,80}cumem_allocator', 'vLLM csrc/cumem_allocator.cpp'],
    ['Not enough memory to handle \\d+ prefill tokens', 'text-generation-inference'],
    ['Make sure you have enough GPU RAM to fit the quantized model', 'transformers quantizer_bnb_4bit.py'],
    ['cudaErrorMemoryAllocation', 'CUDA runtime'],
    ['(?:CUDA|HIP) (?:runtime |driver )?(?:error|failure)(?: 2| \\(2\\))?:? out of memory', 'CUDA runtime'],
    ['std::bad_alloc: out_of_memory: CUDA', 'RMM'],
    ['cupy[.]cuda[.]memory[.]OutOfMemoryError', 'CuPy'],
    ['OutOfMemoryError: Allocation on device', 'torch CUDAMallocAsyncAllocator.cpp'],
    ['CUDA failed with error out of memory', 'CTranslate2'],
    ['NvMapMemAlloc\\w{0,40}: \\d{1,20} error 12\\b', 'Jetson’s NvMap'],
    ['Cuda Runtime \\(out of memory\\)', 'TensorRT'],
    [
      'Requested amount of GPU memory \\(\\d+ bytes\\) could not be allocated|workspace Allocation of size :*\\d{1,20} failed',
      'TensorRT; Habana synapse_helpers',
    ],
    ['Failed to allocate memory for requested buffer of size', 'onnxruntime bfc_arena.cc'],
    ['Error out of memory at line \\d+ in file', 'bitsandbytes csrc/pythonInterface.c'],
    ['No executable batch size found, reached zero', 'accelerate utils/memory.py'],
    ['OutOfDeviceMemory', 'Vulkan'],
    ['kIOGPUCommandBufferCallbackErrorOutOfMemory', 'Metal', { backend: 'mps' }],
  ]),
  ...formsOf('gpu-cap', [
    [
      '\\[metal::malloc\\] Attempting to allocate \\d+ bytes which is greater than the maximum allowed buffer size',
      'MLX',
      { backend: 'mps' },
    ],
  ]),
  ...formsOf('gpu-shortage', [
    ['hipErrorOutOfMemory', 'HIP runtime', { backend: 'rocm' }],
    ['(?:UR|ZE)_RESULT_ERROR_OUT_OF_(?:DEVICE_MEMORY|RESOURCES)', 'level-zero', { backend: 'xpu' }],
    ['(?<!on host: )CUDA_ERROR_OUT_OF_MEMORY', 'CUDA driver'],
    [
      '(?:RESOURCE_EXHAUSTED|ResourceExhaustedError):? (?:\\S{0,40}: )?(?:XLA:TPU compile permanent error[.] )?(?:failed to allocate (?:memory|request)|Ran out of memory)',
      'XLA, TensorFlow',
      { backend: 'xla' },
    ],
    [
      'Dst tensor is not (?:copied|initialized)',
      'tensorflow gpu_util.cc: the copy found no room',
      { backend: 'tensorflow' },
    ],
  ]),
  ...deviceWords,
  // The machine's memory, its disk, and processes that were killed.
  ...formsOf('host-alloc', [
    ['model requires more system memory', 'ollama'],
    [`Unable to allocate ${SIZE} for an array`, 'numpy core/_exceptions.py'],
    [
      '(?:DefaultCPUAllocator|Torch): (?:not enough memory|can.t allocate memory)',
      'torch c10/core/impl/alloc_cpu.cpp',
    ],
    ['\\[Errno 12\\] Cannot allocate memory', 'errno ENOMEM'],
    ['^(?:\\S+: )?(?:numpy\\S*)?MemoryError\\b', 'Python', { lines: true }],
    ['paging file is too small', 'Windows error 1455'],
    ['ArrowMemoryError: (?:malloc|realloc) of size \\d+ failed', 'Arrow memory_pool.cc'],
    ['failed to allocate CPU buffer of size', 'ggml-alloc.c'],
    ['(?:Runtime)?Error: std::bad_alloc', 'libstdc++ through pybind11'],
    ['what\\(\\): std::bad_alloc', 'libstdc++'],
  ]),
  ...formsOf('disk-full', [
    ['No space left on device', 'errno ENOSPC'],
    ['PytorchStreamWriter failed writing file', 'torch caffe2/serialize/inline_container.cc'],
    ['Disk quota exceeded', 'errno EDQUOT'],
    [
      'inline_container[.]cc:\\d+\\][.] ?unexpected pos \\d+ vs \\d+',
      'torch caffe2/serialize/inline_container.cc: fewer bytes were written',
    ],
    ['The node was low on resource: ephemeral-storage', 'kubelet eviction/helpers.go'],
  ]),
  ...formsOf('host-ram-kill', [
    ['exit ?code:? -9\\b', 'torchrun', { lines: true }],
    ['Signal 9 \\(SIGKILL\\)', 'torch distributed/elastic/multiprocessing/errors'],
    ['is killed by signal: Killed', 'torch DataLoader'],
    [
      'terminated with signal SIGKILL|died with <Signals[.]SIGKILL',
      'torch multiprocessing/spawn.py, subprocess',
    ],
    ['exits with return code = -9', 'deepspeed launcher/launch.py'],
    ['was sent SIGKILL! Perhaps out of memory', 'gunicorn arbiter.py'],
    [
      '\\b[Ee]xit(?:ed)?(?: with)?(?: exit)?[ _]?(?:[Cc]ode|status(?: code)?):?\\s+137\\b',
      '128 + SIGKILL',
      { lines: true },
    ],
    [
      '^(?:.*\\bline \\d+: +\\d+ |[^\\w\\n]{1,8})?(?:Killed|已杀死|已砍掉|強制終了|죽었음|Getötet|Убито|Terminado \\(killed\\))(?: {2,}.*|[^\\w\\n]{1,8})?\\s*$',
      'bash, in its languages',
      { lines: true },
    ],
  ]),
  ...killWords,
];
