import type { JobRecord, JobRequest } from '../jobs/job';

/** A job once more, and what is to be known of it before it starts. */
export interface Resuming {
  readonly request: JobRequest;
  readonly note: string;
}

/** What was asked for at first; an embedding job goes on behind its last whole shard by itself. */
export function resuming(record: JobRecord): Resuming {
  const { kind, name, config, argv, folder, environment, secrets, place } = record;
  const { gpus, limits, estimate, writes } = record;
  const request: JobRequest = {
    kind,
    name,
    config,
    argv,
    folder,
    environment,
    secrets,
    place,
    gpus,
    limits,
    estimate,
    writes,
  };
  const note =
    kind === 'embed'
      ? 'It goes on behind the last shard that is whole.'
      : 'The same command again: where it goes on depends on what its config says of checkpoints.';
  return { request, note };
}
