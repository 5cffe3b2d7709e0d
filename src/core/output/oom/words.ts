import { SIZE } from '../size';
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
  {
    kind: 'gpu-refused',
    backend: 'xpu',
    pattern: 'platform can NOT allocate memory block with size larger than',
    source: 'Intel Extension for PyTorch: more than 4 GB at once',
  },
  { kind: 'gpu-refused', backend: 'mps', pattern: `Invalid buffer size: ${SIZE}`, source: 'torch MPS' },
  {
    kind: 'gpu-shortage',
    backend: 'mps',
    pattern: 'Insufficient Memory \\((?:IOAF|[0-9a-f]{8}:kIOGPU)|execution failed: Insufficient Memory',
    source: 'Metal',
  },
  {
    kind: 'gpu-shortage',
    backend: 'npu',
    pattern:
      "EL0004|Memory_Allocation_Failure|rtMalloc\\w{0,12} fail|Device\\(id:\\d{1,3}\\) memory isn[’']t enough|Out of Memory!!! Request memory size|is more than total mem size",
    source: 'Ascend’s CANN, MindSpore mem_dynamic_allocator.cc',
  },
  {
    kind: 'gpu-shortage',
    backend: 'xpu',
    pattern:
      '(?:UR_RESULT_ERROR|PI_ERROR|CL)_(?:OUT_OF_(?:RESOURCES|DEVICE_MEMORY)|MEM_OBJECT_ALLOCATION_FAILURE)',
    source: 'SYCL’s and OpenCL’s runtimes',
  },
  {
    kind: 'gpu-shortage',
    backend: 'xla',
    pattern:
      'RESOURCE_EXHAUSTED:(?!(?:Received|Sent) message|Quota|You exceeded)[^|]{0,200}?(?:memory|alloc|hbm|vmem)|Failed to allocate \\d{1,20} bytes for new constant',
    source: 'XLA',
  },
  {
    kind: 'cublas-alloc',
    pattern: 'rocblas_status_memory_error|cublas handle: the resource allocation failed',
    source: 'rocBLAS; tensorflow cuda_blas.cc',
  },
  { kind: 'cudnn-alloc', pattern: 'miopenStatusAllocFailed', source: 'MIOpen' },
  {
    kind: 'gpu-shortage',
    pattern: 'torch(?:[.]cuda)?[.]OutOfMemoryError',
    source: 'torch: the class without its message',
  },
  {
    kind: 'gpu-shortage',
    pattern: 'NVML_SUCCESS == r INTERNAL ASSERT FAILED',
    source: 'torch CUDACachingAllocator.cpp: the query for its own message fails on Jetson and MIG',
  },
  {
    kind: 'host-alloc',
    pattern:
      'failed to alloc \\d{1,20} bytes on host|could not allocate pinned host memory|OUT_OF_HOST_MEMORY|runtime: out of memory|WinError (?:8|1455)\\b',
    source: 'StreamExecutor, Vulkan, Go, Windows',
  },
  {
    kind: 'gpu-shortage',
    pattern:
      'Error Code 2: OutOfMemory|OutOfMemory Error in|GPU memory allocation error|out_of_memory: RMM failure|PT_DEVMEM Allocation failed|NRT_RESOURCE\\b|DML[^|]{0,60}?E_OUTOFMEMORY|OUT_OF_DEVICE_MEMORY|DEVICE_OUT_OF_MEMORY|graph_reserve: failed to allocate|failed to allocate compute|memory error in alloc|allocating: \\d{1,20}> available:|(?:vkAllocateMemory|bm_alloc_gmem|cudaMalloc\\w{0,12}|cuMemAlloc\\w{0,12}|hipMalloc\\w{0,12}) (?:has )?failed|alloc fail type \\w{1,60} dev \\d',
    source: 'TensorRT, RMM, Gaudi, Neuron, DirectML, ncnn, Sophon, FAISS, ggml, NNabla, Paddle',
  },
  {
    kind: 'gpu-shortage',
    pattern: `Allocation of ${SIZE} failed on (?!CPU|DISK|CLANG|LLVM|PYTHON|NPY)[A-Z]`,
    source: 'tinygrad device.py',
  },
  {
    kind: 'gpu-shortage',
    pattern: `(?:cuda|gpu|hip|rocm|npu|xpu|musa|mlu|opencl|metal|vulkan)[^|;]{0,90}?(?:[:(=,'")\\]]|error|failed)out of memory`,
    source: 'a runtime, and its error behind a mark',
  },
  {
    kind: 'gpu-shortage',
    pattern: `(?:MLU|MUSA|HPU|GCU|SDAA|MACA|DCU|HCU) out of memory[.:]`,
    source: 'torch for other accelerators',
  },
  {
    kind: 'gpu-shortage',
    pattern: `${MIGHT}(?:out of (?:available |free )?${DEVICE} (?:and shared host )?memory|${DEVICE} OOM(?!-?(?:ed|kill|score)))|OOM[!:][^|]{0,30}?${DEVICE}|(?:GPU|CUDA|显卡)内存不足|显存(?:不足|溢出|不够)`,
    source: 'words',
  },
  {
    kind: 'gpu-shortage',
    backend: 'mps',
    pattern: '\\[(?:metal::)?malloc(?:_or_wait)?\\] Unable to allocate',
    source: 'MLX allocator.cpp',
  },
  {
    kind: 'gpu-shortage',
    pattern: 'Available memory of \\d{1,20} is smaller than requested bytes of',
    source: 'onnxruntime bfc_arena.cc',
  },
  {
    kind: 'gpu-shortage',
    pattern: `${FAILED}(?:c|m|re)?alloc(?:ate)?[^|.]{0,60}?(?:on|for|of|in)?(?:the )?${DEVICE}(?!(?:count|list|name))`,
    source: 'words',
  },
  {
    kind: 'gpu-shortage',
    pattern: `${DEVICE}(?: memory)? (?:is |was )?(?:insufficient|exhausted|not enough)|(?:not enough|insufficient|too little) (?:free |available )?(?:${DEVICE}(?:video )?(?:memory|RAM|VRAM)|VRAM|memory (?:left |available )?(?:on|in|for) (?:the )?${DEVICE})`,
    source: 'words',
  },
  {
    kind: 'kv-cache',
    pattern: `${FAILED}(?:allocate|initialize|create|reserve)[^|.]{0,40}?KV[ _-]?cache|(?:not enough|insufficient|no) (?:GPU |free )?(?:memory|space|blocks) (?:is )?(?:left |available )?(?:for|in) (?:the )?KV`,
    source: 'words: llama.cpp, TensorRT-LLM, lmdeploy',
  },
];

/** A machine that had no memory or no room on its disk, and processes that were ended by a signal or a limit. */
export const killWords: readonly OomForm[] = [
  {
    kind: 'shm',
    pattern:
      'Failed to (?:increase|initialize|allocate)[^|.]{0,40}?shared[- ]?memory|Fatal Python error: Bus error|Signal 7 \\(SIGBUS\\)|exit ?code:? ?-7\\b|object store (?:memory )?is full|ObjectStoreFullError|EmptyDir volume "[^"]{0,20}shm[^"]{0,20}" exceeds|shared memory (?:is )?(?:exhausted|full|insufficient)|(?:not enough|insufficient|out of|no more) shared memory(?!,? Required)',
    source: 'Triton’s Python backend, CPython, torchrun, Ray, kubelet; words',
  },
  {
    kind: 'linux-oom-killer',
    pattern:
      'Killed process \\d{1,10} \\(\\S{1,80}?\\),?(?:UID \\d{1,10},?)?total-vm|oom_reaper: reaped process|killed by the OOM killer|System OOM encountered|systemd-oomd killed \\d|earlyoom\\S{0,20}: sending SIG',
    source: 'mm/oom_kill.c with its first half lost; systemd, kubelet, earlyoom',
  },
  {
    kind: 'host-ram-kill',
    pattern:
      '\\d% memory budget|killed by YARN for exceeding|Container killed due to memory usage|TERM_MEMLIMIT|(?:mem|vmem|rss) \\d+[kmg]b exceeded limit|has gone over memory limit|tried to allocate more memory than is available|crashed after using all available RAM|memory usage exceeded (?:request_memory|allocated)|exceeds job (?:master )?hard limit "?h_(?:vmem|rss)|mem(?:sw)? limit exceeded|Memory limit exceeded \\(|Killed signal terminated program|ran out-of-memory and exited|terminated due to OOM|exceeded (?:its |the )?(?:container )?memory limit',
    source:
      'Dask, YARN, AWS Batch, LSF, PBS, HTCondor, Grid Engine, Kaggle, Colab, Spaces, GCC, Vertex, Modal',
  },
  {
    kind: 'host-alloc',
    pattern:
      'memory allocation of \\d{1,20} bytes failed|heap out of memory|Java heap space|insufficient memory \\(attempted to allocate|Fail to alloc memory of|cpu_buffer_type_alloc_buffer: failed to allocate',
    source: 'Rust, V8, Java, ggml, Paddle',
  },
  {
    kind: 'host-alloc',
    pattern: '[:(] ?Cannot allocate memory|\\[?Errno 12\\]|(?<![存卡])内存不足',
    lines: true,
    source: 'strerror(ENOMEM)',
  },
  {
    kind: 'disk-full',
    pattern:
      'ephemeral local storage usage exceeds|EmptyDir volume "[^"]{1,60}" exceeds|\\[Errno (?:28|122)\\]|Local disk is full|not enough space on the disk|database or disk is full|not enough (?:free )?disk space',
    source: 'kubelet, Python in other languages, Ray, Windows, SQLite',
  },
  {
    kind: 'host-ram-kill',
    pattern:
      '(?:[Ee]xit(?:ed|s|ing)?|[Rr]eturn(?:ed)?|[Ss]tatus|EXIT|[Cc]ode)\\b[\\w" ]{0,40}?[\\s:=(_]+(?:137|-9)\\b(?![\\d.:/%-])',
    lines: true,
    source: 'an exit by its number: 128 + 9, or the signal as Python counts it',
  },
  {
    kind: 'host-ram-kill',
    pattern:
      '(?:[Kk]illed|KILLED|[Tt]erminated|[Dd]ied|[Ee]xited|[Ii]nterrupted|[Ff]ailed|[Tt]erminating)\\b[\\w ,]{0,30}?\\b(?:by|with|on|from|due to|BY|after)\\b[\\w ]{0,20}?(?:SIGKILL\\b(?! by OOM)|(?:[Ss]ignal|SIGNAL)[: ]{1,3}\\(?(?:9\\b|SIGKILL|KILL\\b))|signal: killed|code=killed, status=9|[Ee]xitCode": ?137\\b|\\{[^}]{0,200}SIGKILL\\(-9\\)|\\bzsh: killed\\b|^\\[\\d{1,3}\\] +[-+ ]*\\d{1,10} killed\\b|^srun: error: \\S{1,80}: tasks? [\\d,-]{1,40}: Killed|\\bKilled \\(signal 9\\)',
    lines: true,
    source: 'an end by its signal: MPI, systemd, Go, fish, joblib, zsh',
  },
];
