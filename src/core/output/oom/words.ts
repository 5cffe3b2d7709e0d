import { SIZE } from '../size';
import { formsOf } from './form';
import type { OomForm } from './form';

/*
 * Messages by the roles of their words instead of by their program: who (a device or its runtime), what (memory), and that it
 * failed. They come after the forms of known programs, which know more.
 */

const DEVICE = '(?:GPU|CUDA|HIP|XPU|NPU|MLU|MUSA|HPU|TPU|HBM|VRAM|device|video)';
/** In front of what might happen, which is advice and not an error. */
const MIGHT =
  '(?<!(?:avoid|prevent|if you|if it|may|might|can|could|will|would|to|when|not)(?:get|a)?(?:run(?:s|ning)?)?)';
const FAILED = "(?:fail(?:ed|ure|s)? to|unable to|cannot|can[’']t|could not|couldn[’']t)";

/** A device that had no memory. */
export const deviceWords: readonly OomForm[] = [
  ...formsOf('gpu-refused', [
    [
      'platform can NOT allocate memory block with size larger than',
      'Intel Extension for PyTorch: more than 4 GB at once',
      { backend: 'xpu' },
    ],
    [`Invalid buffer size: ${SIZE}`, 'torch MPS', { backend: 'mps' }],
  ]),
  ...formsOf('gpu-shortage', [
    [
      'Insufficient Memory \\((?:IOAF|[0-9a-f]{8}:kIOGPU)|execution failed: Insufficient Memory',
      'Metal',
      { backend: 'mps' },
    ],
    [
      "EL0004|Memory_Allocation_Failure|rtMalloc\\w{0,12} fail|Device\\(id:\\d{1,3}\\) memory isn[’']t enough|Out of Memory!!! Request memory size|is more than total mem size",
      'Ascend’s CANN, MindSpore mem_dynamic_allocator.cc',
      { backend: 'npu' },
    ],
    [
      '(?:UR_RESULT_ERROR|PI_ERROR|CL)_(?:OUT_OF_(?:RESOURCES|DEVICE_MEMORY)|MEM_OBJECT_ALLOCATION_FAILURE)',
      'SYCL’s and OpenCL’s runtimes',
      { backend: 'xpu' },
    ],
    [
      'RESOURCE_EXHAUSTED:(?!(?:Received|Sent) message|Quota|You exceeded)[^|]{0,200}?(?:memory|alloc|hbm|vmem)|Failed to allocate \\d{1,20} bytes for new constant',
      'XLA',
      { backend: 'xla' },
    ],
  ]),
  ...formsOf('cublas-alloc', [
    [
      'rocblas_status_memory_error|cublas handle: the resource allocation failed',
      'rocBLAS; tensorflow cuda_blas.cc',
    ],
  ]),
  ...formsOf('cudnn-alloc', [['miopenStatusAllocFailed', 'MIOpen']]),
  ...formsOf('gpu-shortage', [
    ['torch(?:[.]cuda)?[.]OutOfMemoryError', 'torch: the class without its message'],
    [
      'NVML_SUCCESS == r INTERNAL ASSERT FAILED',
      'torch CUDACachingAllocator.cpp: the query for its own message fails on Jetson and MIG',
    ],
  ]),
  ...formsOf('host-alloc', [
    [
      'failed to alloc \\d{1,20} bytes on host|could not allocate pinned host memory|OUT_OF_HOST_MEMORY|runtime: out of memory|WinError (?:8|1455)\\b',
      'StreamExecutor, Vulkan, Go, Windows',
    ],
  ]),
  ...formsOf('gpu-shortage', [
    [
      'Error Code 2: OutOfMemory|OutOfMemory Error in|GPU memory allocation error|out_of_memory: RMM failure|PT_DEVMEM Allocation failed|NRT_RESOURCE\\b|DML[^|]{0,60}?E_OUTOFMEMORY|OUT_OF_DEVICE_MEMORY|DEVICE_OUT_OF_MEMORY|graph_reserve: failed to allocate|failed to allocate compute|memory error in alloc|allocating: \\d{1,20}> available:|(?:vkAllocateMemory|bm_alloc_gmem|cudaMalloc\\w{0,12}|cuMemAlloc\\w{0,12}|hipMalloc\\w{0,12}) (?:has )?failed|alloc fail type \\w{1,60} dev \\d',
      'TensorRT, RMM, Gaudi, Neuron, DirectML, ncnn, Sophon, FAISS, ggml, NNabla, Paddle',
    ],
    [`Allocation of ${SIZE} failed on (?!CPU|DISK|CLANG|LLVM|PYTHON|NPY)[A-Z]`, 'tinygrad device.py'],
    [
      `(?:cuda|gpu|hip|rocm|npu|xpu|musa|mlu|opencl|metal|vulkan)[^|;]{0,90}?(?:[:(=,'")\\]]|error|failed)out of memory`,
      'a runtime, and its error behind a mark',
    ],
    [`(?:MLU|MUSA|HPU|GCU|SDAA|MACA|DCU|HCU) out of memory[.:]`, 'torch for other accelerators'],
    [
      `${MIGHT}(?:out of (?:available |free )?${DEVICE} (?:and shared host )?memory|${DEVICE} OOM(?!-?(?:ed|kill|score)))|OOM[!:][^|]{0,30}?${DEVICE}|(?:GPU|CUDA|显卡)内存不足|显存(?:不足|溢出|不够)`,
      'words',
    ],
    ['\\[(?:metal::)?malloc(?:_or_wait)?\\] Unable to allocate', 'MLX allocator.cpp', { backend: 'mps' }],
    ['Available memory of \\d{1,20} is smaller than requested bytes of', 'onnxruntime bfc_arena.cc'],
    [
      `${FAILED}(?:c|m|re)?alloc(?:ate)?[^|.]{0,60}?(?:on|for|of|in)?(?:the )?${DEVICE}(?!(?:count|list|name))`,
      'words',
    ],
    [
      `${DEVICE}(?: memory)? (?:is |was )?(?:insufficient|exhausted|not enough)|(?:not enough|insufficient|too little) (?:free |available )?(?:${DEVICE}(?:video )?(?:memory|RAM|VRAM)|VRAM|memory (?:left |available )?(?:on|in|for) (?:the )?${DEVICE})`,
      'words',
    ],
  ]),
  ...formsOf('kv-cache', [
    [
      `${FAILED}(?:allocate|initialize|create|reserve)[^|.]{0,40}?KV[ _-]?cache|(?:not enough|insufficient|no) (?:GPU |free )?(?:memory|space|blocks) (?:is )?(?:left |available )?(?:for|in) (?:the )?KV`,
      'words: llama.cpp, TensorRT-LLM, lmdeploy',
    ],
  ]),
];

/** A machine that had no memory or no room on its disk, and processes that were ended by a signal or a limit. */
export const killWords: readonly OomForm[] = [
  ...formsOf('shm', [
    [
      'Failed to (?:increase|initialize|allocate)[^|.]{0,40}?shared[- ]?memory|Fatal Python error: Bus error|Signal 7 \\(SIGBUS\\)|exit ?code:? ?-7\\b|object store (?:memory )?is full|ObjectStoreFullError|EmptyDir volume "[^"]{0,20}shm[^"]{0,20}" exceeds|shared memory (?:is )?(?:exhausted|full|insufficient)|(?:not enough|insufficient|out of|no more) shared memory(?!,? Required)',
      'Triton’s Python backend, CPython, torchrun, Ray, kubelet; words',
    ],
  ]),
  ...formsOf('linux-oom-killer', [
    [
      'Killed process \\d{1,10} \\(\\S{1,80}?\\),?(?:UID \\d{1,10},?)?total-vm|oom_reaper: reaped process|killed by the OOM killer|System OOM encountered|systemd-oomd killed \\d|earlyoom\\S{0,20}: sending SIG',
      'mm/oom_kill.c with its first half lost; systemd, kubelet, earlyoom',
    ],
  ]),
  ...formsOf('host-ram-kill', [
    [
      '\\d% memory budget|killed by YARN for exceeding|Container killed due to memory usage|TERM_MEMLIMIT|(?:mem|vmem|rss) \\d+[kmg]b exceeded limit|has gone over memory limit|tried to allocate more memory than is available|crashed after using all available RAM|memory usage exceeded (?:request_memory|allocated)|exceeds job (?:master )?hard limit "?h_(?:vmem|rss)|mem(?:sw)? limit exceeded|Memory limit exceeded \\(|Killed signal terminated program|ran out-of-memory and exited|terminated due to OOM|exceeded (?:its |the )?(?:container )?memory limit',
      'Dask, YARN, AWS Batch, LSF, PBS, HTCondor, Grid Engine, Kaggle, Colab, Spaces, GCC, Vertex, Modal',
    ],
  ]),
  ...formsOf('host-alloc', [
    [
      'memory allocation of \\d{1,20} bytes failed|heap out of memory|Java heap space|insufficient memory \\(attempted to allocate|Fail to alloc memory of|cpu_buffer_type_alloc_buffer: failed to allocate',
      'Rust, V8, Java, ggml, Paddle',
    ],
    ['[:(] ?Cannot allocate memory|\\[?Errno 12\\]|(?<![存卡])内存不足', 'strerror(ENOMEM)', { lines: true }],
  ]),
  ...formsOf('disk-full', [
    [
      'ephemeral local storage usage exceeds|EmptyDir volume "[^"]{1,60}" exceeds|\\[Errno (?:28|122)\\]|Local disk is full|not enough space on the disk|database or disk is full|not enough (?:free )?disk space',
      'kubelet, Python in other languages, Ray, Windows, SQLite',
    ],
  ]),
  ...formsOf('host-ram-kill', [
    [
      '(?:[Ee]xit(?:ed|s|ing)?|[Rr]eturn(?:ed)?|[Ss]tatus|EXIT|[Cc]ode)\\b[\\w" ]{0,40}?[\\s:=(_]+(?:137|-9)\\b(?![\\d.:/%-])',
      'an exit by its number: 128 + 9, or the signal as Python counts it',
      { lines: true },
    ],
    [
      '(?:[Kk]illed|KILLED|[Tt]erminated|[Dd]ied|[Ee]xited|[Ii]nterrupted|[Ff]ailed|[Tt]erminating)\\b[\\w ,]{0,30}?\\b(?:by|with|on|from|due to|BY|after)\\b[\\w ]{0,20}?(?:SIGKILL\\b(?! by OOM)|(?:[Ss]ignal|SIGNAL)[: ]{1,3}\\(?(?:9\\b|SIGKILL|KILL\\b))|signal: killed|code=killed, status=9|[Ee]xitCode": ?137\\b|\\{[^}]{0,200}SIGKILL\\(-9\\)|\\bzsh: killed\\b|^\\[\\d{1,3}\\] +[-+ ]*\\d{1,10} killed\\b|^srun: error: \\S{1,80}: tasks? [\\d,-]{1,40}: Killed|\\bKilled \\(signal 9\\)',
      'an end by its signal: MPI, systemd, Go, fish, joblib, zsh',
      { lines: true },
    ],
  ]),
];
