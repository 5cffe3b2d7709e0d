import { readMactop } from '../apple/macmon';
import { isList, jsonValues } from '../parse/json';
import { JsonStream } from '../parse/jsonStream';
import { Problems } from '../problems';
import type { GpuTool } from '../tool';
import { NOTHING } from '../tool';
import { ONE_SHOT } from '../toolDefaults';

const problems = new Problems('mactop', [['insufficient-permissions', /root|sudo/i]]);

/** Apple silicon, where somebody installed it. */
export const mactop: GpuTool = {
  ...ONE_SHOT,
  id: 'mactop',
  vendor: 'apple',
  rank: 55,
  executables: platform =>
    platform === 'darwin' ? ['mactop', '/opt/homebrew/bin/mactop', '/usr/local/bin/mactop'] : [],
  query: () => ['--headless', '--count', '1'],
  stream: (_, intervalMs) => ['--headless', '--interval', String(Math.round(intervalMs))],
  streamReader: () => new JsonStream(readMactop),
  canRead: () => true,
  read: (_, output, receivedMs) => {
    const [value] = jsonValues(output.stdout).flatMap(one => (isList(one) ? one : [one]));
    const reading = value === undefined ? NOTHING : readMactop(value, receivedMs);
    return { ...reading, error: problems.of(output, reading.devices.length > 0) };
  },
  problem: problems.problem,
};
