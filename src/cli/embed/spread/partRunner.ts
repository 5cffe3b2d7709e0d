import type { JobRequest } from '../../../jobs/job';
import type { Shard } from '../../../jobs/shards/schedule';
import type { ShardSeen } from '../../../jobs/shards/shardRun';
import type { Slot } from '../../../jobs/shards/slots';
import { isJobId } from '../../../jobs/id';
import { JOB_MARK } from '../../../jobs/processes/processes';

/** Where parts run, and how they come back. */
export interface PartRunner {
  readonly slots: readonly Slot[];
  /** What has to be there before the first start. */
  prepare(): Promise<void>;
  /** Starts parts that no one has begun as one job; the parts with their jobs. As they are where there is no such thing. */
  begin(shards: readonly Shard[]): Promise<readonly Shard[]>;
  start(shard: Shard, slot: Slot): Promise<string>;
  look(job: string): Promise<ShardSeen>;
  read(job: string, offset: number): Promise<Uint8Array>;
  stop(job: string): Promise<void>;
  /** Brings a part here, whole; fails where it is not. */
  collect(shard: Shard): Promise<void>;
  /** Takes away what was brought to where parts ran, when all of them are here. */
  leave(): Promise<void>;
}

export const partName = ({ index }: Pick<Shard, 'index'>): string => `part-${index + 1}`;

const NO_LIMITS: JobRequest['limits'] = {
  timeMinutes: null,
  cpus: null,
  memoryMiB: null,
  array: null,
  requeue: false,
};

/** A job of parts of an embedding, with what is the same for all of them. */
export function partRequest(
  request: Pick<JobRequest, 'name' | 'argv' | 'folder' | 'place' | 'writes'> & {
    readonly gpus: number;
    readonly uuids?: readonly string[];
    readonly limits?: Partial<JobRequest['limits']>;
  },
): JobRequest {
  const { gpus, uuids = [], limits, ...rest } = request;
  // The process that spreads it may be a job itself.
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
