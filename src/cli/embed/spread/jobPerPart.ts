import type { Shard } from '../../../jobs/shards/schedule';
import type { ShardSeen } from '../../../jobs/shards/shardRun';
import type { Slot } from '../../../jobs/shards/slots';
import { NEVER } from '../../../core/signal';
import type { PartRunner } from './partRunner';
import type { CopyRoom } from './remotePython';

/** Each part is a separate job, which is queried, read and stopped by its id. */
export abstract class JobPerPart<Room extends Pick<CopyRoom, 'jobs'>> implements PartRunner {
  abstract readonly slots: readonly Slot[];

  constructor(protected readonly room: Room) {}

  abstract prepare(): Promise<void>;
  abstract start(shard: Shard, slot: Slot): Promise<string>;
  abstract collect(shard: Shard): Promise<void>;
  abstract leave(): Promise<void>;

  begin(shards: readonly Shard[]): Promise<readonly Shard[]> {
    return Promise.resolve(shards);
  }

  async look(job: string): Promise<ShardSeen> {
    return (await this.room.jobs.get(job)) ?? { state: 'lost', message: null };
  }

  async read(job: string, offset: number): Promise<Uint8Array> {
    return (await this.room.jobs.output(job, offset, NEVER)).bytes;
  }

  async stop(job: string): Promise<void> {
    await this.room.jobs.stop(job, NEVER);
  }
}
