import { readTop, readTopCsv, readTopList, readTopScreen, readTopText } from '../intel/top';
import { jsonValues } from '../parse/json';
import { isList } from '../parse/json';
import { JsonStream } from '../parse/jsonStream';
import { readingOf } from '../parse/reading';
import { Problems } from '../problems';
import type { GpuTool, ToolReading } from '../tool';
import { ONE_SHOT } from '../tool';

const problems = new Problems(
  'intel_gpu_top',
  [
    ['insufficient-permissions', /Permission denied|CAP_PERFMON|perf_event_paranoid/i],
    ['no-devices', /No (?:device filter|.{0,60}devices? found)|Failed to detect engines/i],
    ['not-supported', /Failed to initialize PMU|PMU/],
    ['invalid-argument', /invalid option|unrecognized option/i],
  ],
  {
    'insufficient-permissions':
      'intel_gpu_top has no permission to read the counters. Grant it with: sudo setcap cap_perfmon=+ep $(which intel_gpu_top).',
  },
);

/**
 * From the i915 driver's tools, for integrated GPUs: an endless JSON array. Its first tick is a false spike and is
 * omitted.
 */
export const intelGpuTop: GpuTool = {
  ...ONE_SHOT,
  id: 'intel_gpu_top',
  vendor: 'intel',
  rank: 40,
  neverEnds: true,
  executables: platform => (platform === 'linux' ? ['intel_gpu_top'] : []),
  query: () => ['-J', '-s', '1000'],
  stream: (_, intervalMs) => ['-J', '-s', String(Math.round(intervalMs))],
  streamReader: () => new JsonStream(readTop, 1),
  forms: [['-J'], ['-l'], ['-L']],
  ...problems.reads((text, receivedMs, _, args) => readerOf(args, text)(text, receivedMs)),
};

function readerOf(args: readonly string[], text: string): (text: string, receivedMs: number) => ToolReading {
  if (args.includes('-l')) return readTopText;
  if (args.includes('-L')) return readTopList;
  if (/^Freq MHz req,/m.test(text)) return readTopCsv;
  return /^\s{0,4}intel-gpu-top:? |^\s{0,40}ENGINES?\s{1,20}BUSY/m.test(text) ? readTopScreen : readAll;
}

/** Every tick of a text. */
function readAll(text: string, receivedMs: number): ToolReading {
  const ticks = jsonValues(text)
    .flatMap(value => (isList(value) ? value : [value]))
    .map(value => readTop(value, receivedMs));
  return readingOf(
    ticks.flatMap(({ devices, samples }) =>
      devices.flatMap((device, at) => {
        const sample = samples[at];
        return sample ? [{ device, sample }] : [];
      }),
    ),
    { processes: ticks.at(-1)?.processes ?? [] },
  );
}
