import { readJtop } from '../jetson/jtop';
import { readTegra, TegraStream } from '../jetson/tegrastats';
import { readingOf } from '../parse/reading';
import { Problems } from '../problems';
import type { GpuTool, ToolReading } from '../tool';
import { ONE_SHOT } from '../tool';

const problems = new Problems('tegrastats', [['insufficient-permissions', /Permission denied/i]]);

/** For NVIDIA's Jetson: one line per tick, endlessly. Cards next to the module are left to nvidia-smi. */
export const tegrastats: GpuTool = {
  ...ONE_SHOT,
  id: 'tegrastats',
  vendor: 'nvidia',
  rank: 4,
  neverEnds: true,
  isPartial: true,
  executables: platform => (platform === 'linux' ? ['tegrastats', '/usr/bin/tegrastats'] : []),
  query: () => ['--interval', '1000'],
  stream: (_, intervalMs) => ['--interval', String(Math.round(intervalMs))],
  streamReader: () => new TegraStream(),
  ...problems.reads(
    (text, receivedMs) => together(unwrapped(text.split(/\r?\n/)).map(line => readTegra(line, receivedMs))),
    readJtop,
  ),
};

/** The rest of a line that a page or a terminal wrapped: its units go on, its memory was before. */
const GOES_ON = /\b(?:GR3D|EMC|NVENC|SWAP|CPU|VDD|POM|[A-Za-z]\w{0,15}@)/;
/** Longer than any line, so that joining takes linear time. */
const LONGEST = 8000;
const BEGINS = /\bRAM \d{1,8}\/\d{1,8}MB/;

function unwrapped(lines: readonly string[]): readonly string[] {
  const whole: string[] = [];
  for (const line of lines) {
    const last = whole.at(-1);
    const isOpen = last !== undefined && last.length < LONGEST && BEGINS.test(last);
    if (isOpen && !BEGINS.test(line) && GOES_ON.test(line)) {
      whole[whole.length - 1] = `${last.endsWith('\\') ? last.slice(0, -1) : last} ${line.trim()}`;
    } else {
      whole.push(line);
    }
  }
  return whole;
}

const together = (all: readonly ToolReading[]): ToolReading => ({
  ...readingOf([]),
  devices: all.flatMap(({ devices }) => devices),
  samples: all.flatMap(({ samples }) => samples),
});
