import { readMacmon } from '../apple/macmon';
import { withDetail } from '../device';
import { isList, jsonValues } from '../parse/json';
import { JsonStream } from '../parse/jsonStream';
import { Problems } from '../problems';
import type { GpuTool } from '../tool';
import { NOTHING } from '../tool';
import { ONE_SHOT } from '../toolDefaults';

const problems = new Problems('macmon');

/** Apple silicon without root, where somebody installed it: load, power, temperature and clock. */
export const macmon: GpuTool = {
  ...ONE_SHOT,
  id: 'macmon',
  vendor: 'apple',
  rank: 50,
  executables: platform =>
    platform === 'darwin' ? ['macmon', '/opt/homebrew/bin/macmon', '/usr/local/bin/macmon'] : [],
  query: () => ['pipe', '-s', '1', '-i', '500'],
  stream: (_, intervalMs) => ['pipe', '-i', String(Math.round(intervalMs))],
  streamReader: () => new JsonStream(readMacmon),
  withDetails: (devices, { devices: found }) => devices.map(device => withDetail(device, found)),
  canRead: () => true,
  read: (_, output, receivedMs) => {
    const [value] = jsonValues(output.stdout).flatMap(one => (isList(one) ? one : [one]));
    const reading = value === undefined ? NOTHING : readMacmon(value, receivedMs);
    return { ...reading, error: problems.of(output, reading.devices.length > 0) };
  },
  problem: problems.problem,
};
