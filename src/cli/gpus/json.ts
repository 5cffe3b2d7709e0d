import type { HostReading } from '../../gpu/fleet';

/**
 * Hosts as one document. Devices and samples stand side by side over all hosts, each with its host's id, as the schema had
 * them when there was one host only.
 */
export function gpusDocument(readings: readonly HostReading[]): object {
  return {
    schema: 'headroom/1',
    hosts: readings.map(({ host, status, processes, machine, capacities }) => ({
      ...host,
      status,
      machine,
      processes,
      capacities,
    })),
    devices: readings.flatMap(({ host, devices }) => devices.map(device => ({ host: host.id, ...device }))),
    samples: readings.flatMap(({ host, samples }) => samples.map(sample => ({ host: host.id, ...sample }))),
  };
}
