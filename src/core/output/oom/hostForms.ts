import { SIZE } from '../size';
import type { OomForm } from './form';

/** Messages about the machine's memory, its disk, and processes that were killed; in order of precedence. */
export const hostForms: readonly OomForm[] = [
  { kind: 'host-alloc', pattern: 'model requires more system memory', source: 'ollama' },
  {
    kind: 'host-alloc',
    pattern: `Unable to allocate ${SIZE} for an array`,
    source: 'numpy core/_exceptions.py',
  },
  {
    kind: 'host-alloc',
    pattern: '(?:DefaultCPUAllocator|Torch): (?:not enough memory|can.t allocate memory)',
    source: 'torch c10/core/impl/alloc_cpu.cpp',
  },
  { kind: 'host-alloc', pattern: '\\[Errno 12\\] Cannot allocate memory', source: 'errno ENOMEM' },
  { kind: 'host-alloc', pattern: '^(?:\\S+: )?(?:numpy\\S*)?MemoryError\\b', lines: true, source: 'Python' },
  { kind: 'host-alloc', pattern: 'paging file is too small', source: 'Windows error 1455' },
  {
    kind: 'host-alloc',
    pattern: 'ArrowMemoryError: (?:malloc|realloc) of size \\d+ failed',
    source: 'Arrow memory_pool.cc',
  },
  { kind: 'host-alloc', pattern: 'failed to allocate CPU buffer of size', source: 'ggml-alloc.c' },
  { kind: 'host-alloc', pattern: '(?:Runtime)?Error: std::bad_alloc', source: 'libstdc++ through pybind11' },
  { kind: 'host-alloc', pattern: 'what\\(\\): std::bad_alloc', source: 'libstdc++' },
  { kind: 'disk-full', pattern: 'No space left on device', source: 'errno ENOSPC' },
  {
    kind: 'disk-full',
    pattern: 'PytorchStreamWriter failed writing file',
    source: 'torch caffe2/serialize/inline_container.cc',
  },
  { kind: 'disk-full', pattern: 'Disk quota exceeded', source: 'errno EDQUOT' },
  {
    kind: 'disk-full',
    pattern: 'inline_container[.]cc:\\d+\\][.] ?unexpected pos \\d+ vs \\d+',
    source: 'torch caffe2/serialize/inline_container.cc: fewer bytes were written',
  },
  {
    kind: 'disk-full',
    pattern: 'The node was low on resource: ephemeral-storage',
    source: 'kubelet eviction/helpers.go',
  },
  { kind: 'host-ram-kill', pattern: 'exit ?code:? -9\\b', lines: true, source: 'torchrun' },
  {
    kind: 'host-ram-kill',
    pattern: 'Signal 9 \\(SIGKILL\\)',
    source: 'torch distributed/elastic/multiprocessing/errors',
  },
  { kind: 'host-ram-kill', pattern: 'is killed by signal: Killed', source: 'torch DataLoader' },
  {
    kind: 'host-ram-kill',
    pattern: 'terminated with signal SIGKILL|died with <Signals[.]SIGKILL',
    source: 'torch multiprocessing/spawn.py, subprocess',
  },
  { kind: 'host-ram-kill', pattern: 'exits with return code = -9', source: 'deepspeed launcher/launch.py' },
  {
    kind: 'host-ram-kill',
    pattern: 'was sent SIGKILL! Perhaps out of memory',
    source: 'gunicorn arbiter.py',
  },
  {
    kind: 'host-ram-kill',
    pattern: '\\b[Ee]xit(?:ed)?(?: with)?(?: exit)?[ _]?(?:[Cc]ode|status(?: code)?):?\\s+137\\b',
    lines: true,
    source: '128 + SIGKILL',
  },
  {
    kind: 'host-ram-kill',
    pattern:
      '^(?:.*\\bline \\d+: +\\d+ |[^\\w\\n]{1,8})?(?:Killed|已杀死|已砍掉|強制終了|죽었음|Getötet|Убито|Terminado \\(killed\\))(?: {2,}.*|[^\\w\\n]{1,8})?\\s*$',
    lines: true,
    source: 'bash, in its languages',
  },
];
