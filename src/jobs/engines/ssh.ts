import { isAlias } from '../../remote/sshArguments';
import { copyToHost, takenBack } from '../copy/bring';
import { chooseFiles } from '../copy/choose';
import { fetchChanged } from '../copy/fetch';
import { copyLines } from '../copy/lines';
import { JobError } from '../engine';
import type { FilesToBring, JobEngine, JobSighting, OutputPiece, StopRung } from '../engine';
import type { EngineMaker } from '../engineMaker';
import type { JobPlace, JobRecord, JobRequest } from '../job';
import type { JobSample } from '../samples';
import { remoteArgv, askFor, PIECE_BYTES } from '../remote/host';
import { begin, variables } from '../remote/begin';
import { HOST_FUNCTIONS } from '../remote/hostScript';
import { remoteRoom } from '../remote/remoteRoom';
import type { RemoteRoom } from '../remote/remoteRoom';
import { sightingOf } from '../remote/sighting';
import { isCutOff } from '../lock';
import { RemoteReadings } from '../remote/watched';
import type { Signal } from '../../core/signal';

/** Detached jobs on hosts of the user's ssh config: they outlive the connection, this program and this machine. */
export class SshEngine implements JobEngine {
  readonly id = 'ssh';

  private readonly watched: RemoteReadings;

  constructor(private readonly room: RemoteRoom) {
    this.watched = new RemoteReadings(room.shells, room.now);
  }

  async plan(request: JobRequest, signal: Signal): Promise<readonly string[]> {
    const { alias, folder } = placeOf(request);
    if (folder !== null) return [`Starts in ${folder} on ${alias}; nothing is copied.`];
    const choice = await chooseFiles(request.folder);
    if (signal.aborted) return [];
    return copyLines(choice, `${alias}:~/.headroom/jobs`, this.room.mostCopyBytes);
  }

  async start(
    record: JobRecord,
    secrets: Readonly<Record<string, string>>,
    note: (handle: NonNullable<JobRecord['handle']>) => Promise<void>,
    signal: Signal,
  ): Promise<NonNullable<JobRecord['handle']>> {
    const { alias, folder } = placeOf(record);
    const { shells, now } = this.room;
    const environment = variables(record, secrets, visible(record));
    if (folder === null) {
      await copyToHost(this.room, alias, record.id, { folder: record.folder, files: null }, signal);
    }
    const handle = { alias, folder: `~/.headroom/jobs/${record.id}`, notedMs: now() };
    await note(handle);
    const argv = folder === null ? remoteArgv(record.argv, record.folder) : record.argv;
    await begin(
      shells,
      alias,
      { id: record.id, folder: folder ?? '', gpus: record.gpus.count, argv },
      environment,
      signal,
    );
    return handle;
  }

  async look(record: JobRecord, signal: Signal): Promise<JobSighting> {
    const { alias } = placeOf(record);
    const { shells, now } = this.room;
    const seen = sightingOf(await askFor(shells, alias, ['look', record.id], signal), alias, now());
    if (seen.state !== 'starting' || !(await isCutOff(record, now(), this.room.startLimitMs))) return seen;
    return sightingOf(await askFor(shells, alias, ['give_up', record.id], signal), alias, now());
  }

  async read(record: JobRecord, offset: number, signal: Signal): Promise<OutputPiece> {
    const { alias } = placeOf(record);
    const words = ['piece', record.id, String(offset), String(PIECE_BYTES)];
    const { bytes } = await askFor(this.room.shells, alias, words, signal);
    return { offset, bytes };
  }

  async samples(record: JobRecord, signal: Signal): Promise<readonly JobSample[]> {
    return this.watched.samples(placeOf(record).alias, record, signal);
  }

  async stop(record: JobRecord, rung: StopRung, signal: Signal): Promise<void> {
    await askFor(this.room.shells, placeOf(record).alias, ['halt', record.id, rung], signal);
  }

  async bring(place: JobPlace, id: string, files: FilesToBring, signal: Signal): Promise<string> {
    return copyToHost(this.room, sshPlace(place).alias, id, files, signal);
  }

  async takeBack(place: JobPlace, folder: string, signal: Signal): Promise<void> {
    await takenBack(this.room.shells, sshPlace(place).alias, folder, signal);
  }

  async fetch(record: JobRecord, into: string, signal: Signal): Promise<readonly string[]> {
    const { alias, folder } = placeOf(record);
    return fetchChanged(this.room.shells, alias, record, folder ?? '', into, signal);
  }

  async clean(record: JobRecord, signal: Signal): Promise<void> {
    await askFor(this.room.shells, placeOf(record).alias, ['clean', record.id], signal);
  }
}

/** The GPUs that the job may see, by UUID. */
function visible({ gpus }: JobRecord): Readonly<Record<string, string>> {
  return gpus.uuids.length === 0 ? {} : { CUDA_VISIBLE_DEVICES: gpus.uuids.join(',') };
}

const placeOf = ({ place }: JobRequest) => sshPlace(place);

function sshPlace(place: JobPlace): { readonly alias: string; readonly folder: string | null } {
  if (place.engine !== 'ssh') throw new JobError('bad-record', 'This job is not for an SSH host.');
  if (!isAlias(place.alias)) throw new JobError('refused', `“${place.alias}” isn't a valid host name.`);
  return place;
}

export const ssh: EngineMaker = room => new SshEngine(remoteRoom(room, HOST_FUNCTIONS));
