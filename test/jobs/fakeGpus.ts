import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * An nvidia-smi that shows GPUs of this size and their processes: a process that writes a file named by its pid,
 * with a
 * UUID and MiB, holds that much memory while it lives.
 */
const program = (folder: string, totalMiB: number, gpus: readonly string[]): string => `#!${process.execPath}
const { readdirSync, readFileSync } = require('node:fs');
const gpus = ${JSON.stringify(gpus)};
const alive = pid => { try { return !/\\) Z /.test(readFileSync('/proc/' + pid + '/stat', 'utf8')); } catch { return false; } };
const held = () => readdirSync(${JSON.stringify(folder)}).filter(name => /^\\d+$/.test(name) && alive(name)).map(name => {
  const [uuid, mib] = readFileSync(${JSON.stringify(folder)} + '/' + name, 'utf8').trim().split(' ');
  return { pid: name, uuid, mib: Number(mib) };
});
const argument = name => (process.argv.find(word => word.startsWith(name)) || '').slice(name.length).split(',');
function gpuRows() {
  const on = held();
  return gpus.map((uuid, index) => {
    const used = on.filter(one => one.uuid === uuid).reduce((sum, one) => sum + one.mib, 0);
    const known = { index, uuid, name: 'NVIDIA A100-SXM4-80GB', 'mig.mode.current': 'Disabled', driver_version: '550.54',
      'memory.total': ${totalMiB}, 'memory.used': used, 'memory.free': ${totalMiB} - used, 'memory.reserved': 0,
      'pci.bus_id': '00000000:0' + index + ':00.0', timestamp: '2026/11/22 07:00:00.000' };
    return argument('--query-gpu=').map(field => known[field] ?? '[N/A]').join(', ');
  });
}
const head = words => argument('--format=').includes('noheader') || console.log(words.join(', '));
if (process.argv.some(word => word.startsWith('--query-gpu='))) {
  head(argument('--query-gpu='));
  const show = () => console.log(gpuRows().join('\\n'));
  show();
  const loop = process.argv.indexOf('-l');
  if (loop > 0) setInterval(show, 1000 * Number(process.argv[loop + 1]));
} else if (process.argv.some(word => word.startsWith('--query-compute-apps='))) {
  head(argument('--query-compute-apps='));
  for (const { pid, uuid, mib } of held()) {
    const known = { pid, used_memory: mib, gpu_uuid: uuid, process_name: 'trainer' };
    console.log(argument('--query-compute-apps=').map(field => known[field]).join(', '));
  }
} else process.exit(1);
`;

export interface FakeGpus {
  readonly executable: string;
  /** JavaScript of a job that holds this much memory of its first GPU for a while. */
  readonly holding: (mib: number, ms: number) => string;
}

export function fakeGpus(folder: string, totalMiB: number, gpus: readonly string[]): FakeGpus {
  const held = join(folder, 'held');
  mkdirSync(held, { recursive: true });
  const executable = join(folder, 'nvidia-smi');
  writeFileSync(executable, program(held, totalMiB, gpus));
  chmodSync(executable, 0o755);
  return {
    executable,
    holding: (mib, ms) =>
      `const gpu = (process.env.CUDA_VISIBLE_DEVICES || '').split(',')[0];
       require('node:fs').writeFileSync(${JSON.stringify(held)} + '/' + process.pid, gpu + ' ${mib}');
       console.log('on', process.env.CUDA_VISIBLE_DEVICES); setTimeout(() => {}, ${ms});`,
  };
}
