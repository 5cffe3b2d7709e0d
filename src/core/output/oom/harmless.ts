/**
 * Messages that only look like an out-of-memory error; removed before the forms are tried. They come from jobs that
 * continue, or from attempts that were abandoned.
 */
export const harmless: readonly { readonly pattern: string; readonly source: string }[] = [
  {
    pattern:
      'Allocator \\(\\w+\\) ran out of memory trying to allocate[^|]{0,120}?The caller indicates that this is not a failure',
    source: 'tensorflow bfc_allocator.cc: it goes on with less',
  },
  {
    pattern:
      'failed to allocate [\\d.]+[KMGT]? \\(\\d+ bytes\\) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory',
    source: 'tensorflow cuda_driver.cc: the allocator asks for less then',
  },
  {
    pattern:
      'OOM: Ran out of memory with exception: CUDA out of memory[.] Tried to allocate[^|]{0,400}?(?:by PyTorch|cached)\\)?',
    source: 'fairseq trainer.py: skips the batch',
  },
  {
    pattern: 'CUDA out of memory with batch=\\d+[.] Reducing to batch=\\d+ and retrying',
    source: 'ultralytics engine/trainer.py',
  },
  {
    pattern: 'Warning: Ran out of memory when regular VAE (?:encoding|decoding), retrying with tiled VAE',
    source: 'ComfyUI sd.py',
  },
  {
    pattern: 'out of memory[^|.]{0,60}?(?:retrying|skipping|falling back)',
    source: 'words of a program that goes on',
  },
  {
    pattern: '[Ff]ailed to allocate CUDA memory[^|]{0,120}?falling back to',
    source: 'Triton: uses pinned memory instead',
  },
  {
    pattern:
      'Device memory is insufficient to use tactic|[Ss]kipping tactic \\d+ due to insuff?icient memory on requested size of \\d+',
    source: 'TensorRT: the builder tries another',
  },
  {
    pattern: 'The process is killed by SIGKILL by OOM killer due to high memory usage',
    source: 'Ray lists it as one of several possible causes',
  },
];

/**
 * Other reasons for a kill: next to one of these, a kill without a stated reason does not count as out of memory.
 * In the format of `OomForm.pattern`.
 */
export const otherKillers: readonly { readonly pattern: string; readonly source: string }[] = [
  { pattern: 'DUE TO (?:TIME LIMIT|PREEMPTION|NODE FAILURE|JOB REQUEUE)', source: 'slurmstepd' },
  { pattern: '"?OOMKilled"?:\\s?false', source: 'docker inspect' },
  { pattern: 'KeyboardInterrupt', source: 'Python: Ctrl-C' },
  { pattern: 'Watchdog caught collective operation timeout', source: 'torch ProcessGroupNCCL.cpp' },
  { pattern: '(?:Liveness|Startup) probe failed', source: 'kubelet' },
  {
    pattern: 'Root Cause \\(first observed failure\\):[^|]{0,400}?exit ?code: (?!-9|137)-?\\d',
    source: 'torch distributed/elastic/multiprocessing/errors: the others were ended for it',
  },
];

/** Once training has finished, a worker that is killed does not matter. */
export const afterTheEnd = 'DataLoader worker \\(pid\\d+\\) is killed by signal: Killed';
