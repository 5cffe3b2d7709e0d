import type { RunSpec } from '../spec/runSpec';

/** The files that a run is read from, each once, in the run's order: what its digest is made over. */
export const filesOf = ({ sources }: RunSpec): readonly string[] => [
  ...new Set(sources.filter(({ via }) => via.kind !== 'preset').map(({ path }) => path)),
];
