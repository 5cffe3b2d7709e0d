import { lines, table, terminal } from '../../core/text/terminal';
import type { TerminalText } from '../../core/text/terminal';
import { formatBytes } from '../../core/units';
import type { JobRecord } from '../../jobs/job';
import { joined } from '../../jobs/samples';
import type { JobGpuSample, JobSample } from '../../jobs/samples';

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const WIDTH = 40;

/** The readings of a job's GPUs over its run: peaks, means, and a bar chart of memory over time. */
export function jobGpusText({ id, name }: JobRecord, samples: readonly JobSample[]): TerminalText {
  if (samples.length === 0) {
    return terminal`${id} (${name}): no GPU readings. The job has no GPU, or runs where Headroom cannot read it.`;
  }
  const tasks = [...new Set(samples.map(({ task }) => task))];
  const parts = tasks.map(task => ({ task, own: samples.filter(sample => sample.task === task) }));
  const rows = parts.flatMap(({ task, own }) =>
    rowsOf(own).map(row => (task === undefined ? row : [task, ...row])),
  );
  const times = samples.map(({ timeMs }) => timeMs).toSorted((a, b) => a - b);
  const span = `${dateText(times[0])} to ${dateText(times.at(-1))}`;
  const isArray = tasks.some(task => task !== undefined);
  const head = [...(isArray ? ['task'] : []), ...HEAD];
  const foreign = parts.some(({ own }) =>
    joined(own).gpus.some(({ heldBytes, usedBytes }) => heldBytes === null && usedBytes !== null),
  );
  return lines([`${id} (${name}), ${span}`, table([head, ...rows]), ...(foreign ? [OF_ALL] : [])]);
}

const HEAD = ['GPU', 'held at most', 'used at most', 'busy', 'hottest', 'power', 'memory over time'];

const dateText = (timeMs = 0): string => new Date(timeMs).toISOString();

const rowsOf = (samples: readonly JobSample[]): readonly string[][] =>
  joined(samples).gpus.map(gpu => [
    gpu.uuid,
    amount(gpu.heldBytes),
    amount(gpu.usedBytes),
    withUnit(gpu.utilPct, '%'),
    withUnit(gpu.tempC, '°C'),
    withUnit(gpu.powerW, 'W'),
    bars(samples, gpu.uuid),
  ]);

const OF_ALL =
  "Where “held” is n/a, the job's own share is unknown (in a container, process IDs differ), and the bars show the memory used by all processes.";

/** One bar per time span with the job's memory, else all memory in use; the maximum is a full bar. */
function bars(samples: readonly JobSample[], uuid: string): string {
  const own = samples.map(({ gpus }) => gpus.find(gpu => gpu.uuid === uuid));
  const isKnown = own.some(gpu => typeof gpu?.heldBytes === 'number');
  const bytes = (gpu: JobGpuSample | undefined) => (isKnown ? gpu?.heldBytes : gpu?.usedBytes) ?? 0;
  const width = Math.min(WIDTH, own.length);
  const most = Math.max(1, ...own.map(bytes));
  return Array.from({ length: width }, (_, i) => {
    const from = Math.floor((i * own.length) / width);
    const part = own.slice(from, Math.floor(((i + 1) * own.length) / width)).map(bytes);
    return BARS[Math.min(BARS.length - 1, Math.floor((Math.max(0, ...part) / most) * BARS.length))];
  }).join('');
}

const amount = (bytes: number | null): string => (bytes === null ? 'n/a' : formatBytes(bytes));

const withUnit = (value: number | null, unit: string): string =>
  value === null ? 'n/a' : `${Math.round(value)} ${unit}`;
