import { NO_LIMITS } from '../../../jobs/job';
import type { JobRequest } from '../../../jobs/job';
import type { Shard } from '../../../jobs/shards/schedule';
import type { ShardSeen } from '../../../jobs/shards/shardRun';
import type { Slot } from '../../../jobs/shards/slots';
import { isJobId } from '../../../jobs/id';
import { JOB_MARK } from '../../../jobs/processes/processes';

/** Where parts run, and how their results come back. */
export interface PartRunner {
  readonly slots: readonly Slot[];
  /** Prepares what the first start needs. */
  prepare(): Promise<void>;
  /**
   * Starts new parts as one job and returns them with their jobs; returns them unchanged if that is not supported.
   */
  begin(shards: readonly Shard[]): Promise<readonly Shard[]>;
  start(shard: Shard, slot: Slot): Promise<string>;
  look(job: string): Promise<ShardSeen>;
  read(job: string, offset: number): Promise<Uint8Array>;
  stop(job: string): Promise<void>;
  /** Fetches a complete part; fails if it is incomplete. */
  collect(shard: Shard): Promise<void>;
  /** Removes the files that were copied to where parts ran, once all results are here. */
  leave(): Promise<void>;
}

export const partName = ({ index }: Pick<Shard, 'index'>): string => `part-${index + 1}`;

/** The job of one or more parts of an embedding, with what all have in common. */
export function partRequest(
  request: Pick<JobRequest, 'name' | 'argv' | 'folder' | 'place' | 'writes'> & {
    readonly gpus: number;
    readonly uuids?: readonly string[];
    readonly limits?: Partial<JobRequest['limits']>;
  },
): JobRequest {
  const { gpus, uuids = [], limits, ...rest } = request;
  // The process that spreads the work may be a job itself.
  const whole = process.env[JOB_MARK];
  return {
    ...rest,
    ...(whole !== undefined && isJobId(whole) && { partOf: whole }),
    kind: 'embed',
    config: null,
    environment: {},
    secrets: [],
    gpus: { count: gpus, uuids, needBytes: null },
    limits: { ...NO_LIMITS, ...limits },
    estimate: null,
  };
}
