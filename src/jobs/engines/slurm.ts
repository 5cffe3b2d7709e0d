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
import { SLURM_FUNCTIONS, slurmOptions, slurmScript } from '../slurm/script';
import { slurmSighting } from '../slurm/sighting';
import { machineIn } from '../slurm/states';
import { allValues, remoteArgv, askFor, BEGIN_MS, PIECE_BYTES } from '../remote/host';
import { once, variables } from '../remote/begin';
import { HOST_FUNCTIONS } from '../remote/hostScript';
import { remoteRoom } from '../remote/remoteRoom';
import type { RemoteRoom } from '../remote/remoteRoom';
import { isCutOff } from '../lock';
import { RemoteReadings } from '../remote/watched';
import type { Signal } from '../../core/signal';

/** The limit for several Slurm commands in one query, each with its own limit. */
const LOOK_MS = 80_000;

/** Jobs of Slurm through its commands: local ones, or on a login node whose home folder the compute nodes share. */
export class SlurmEngine implements JobEngine {
  readonly id = 'slurm';

  private readonly watched: RemoteReadings;

  constructor(private readonly room: RemoteRoom) {
    this.watched = new RemoteReadings(room.shells, room.now);
  }

  async plan(request: JobRequest, signal: Signal): Promise<readonly string[]> {
    const { alias, partition, folder = null } = placeOf(request);
    const options = slurmOptions({ id: 'ID', partition, ...request });
    const known = await askFor(this.room.shells, alias, ['partitions'], signal, LOOK_MS);
    const names = allValues(known, 'partition').map(line => line.split(' ')[0]?.replace(/\*$/, '') ?? '');
    const unknown = partition?.split(',').find(name => !names.includes(name));
    if (unknown !== undefined) {
      throw new JobError('refused', `Slurm has no partition ${unknown}; choose one of ${names.join(', ')}.`);
    }
    const submits = `Submits a job to Slurm${alias === null ? '' : ` on ${alias}`}: ${options.join(' ')}.`;
    if (alias === null) return [submits, `Its nodes must have access to ${request.folder}.`];
    if (folder !== null) {
      return [submits, `Starts in ${folder} on the cluster of ${alias}; nothing is copied.`];
    }
    const choice = await chooseFiles(request.folder);
    const copies = copyLines(
      choice,
      `${alias}:~/.headroom/jobs, which its nodes must have access to`,
      this.room.mostCopyBytes,
    );
    return [submits, ...copies];
  }

  async start(
    record: JobRecord,
    secrets: Readonly<Record<string, string>>,
    note: (handle: NonNullable<JobRecord['handle']>) => Promise<void>,
    signal: Signal,
  ): Promise<NonNullable<JobRecord['handle']>> {
    const { alias, partition, folder = alias === null ? record.folder : '' } = placeOf(record);
    const { shells, now } = this.room;
    const environment = variables(record, secrets);
    // An empty folder stands for the job's own folder, into which the files are copied.
    const isCopied = folder === '';
    const argv = isCopied ? remoteArgv(record.argv, record.folder) : record.argv;
    const script = slurmScript({ ...record, partition, argv });
    if (alias !== null && isCopied) {
      await copyToHost(this.room, alias, record.id, { folder: record.folder, files: null }, signal);
    }
    const handle = { alias, folder: `~/.headroom/jobs/${record.id}`, notedMs: now(), slurm: null };
    await note(handle);
    const avoid = (record.limits.avoid ?? []).filter(name => machineIn(name) !== null).join(',');
    const line = ['submit', record.id, folder, script, avoid, partition ?? '', ...environment, '--'];
    const answer = await once(() => askFor(shells, alias, line, signal, BEGIN_MS), signal);
    const slurm = answer === null ? null : (allValues(answer, 'slurm')[0] ?? null);
    return { ...handle, slurm };
  }

  async look(record: JobRecord, signal: Signal): Promise<JobSighting> {
    const { alias } = placeOf(record);
    const { shells, now } = this.room;
    const ask = () => askFor(shells, alias, ['slurm_look', record.id], signal, LOOK_MS);
    const seen = slurmSighting(await ask(), record.limits.array, now());
    if (seen.state !== 'starting' || !(await isCutOff(record, now(), this.room.startLimitMs))) return seen;
    await askFor(shells, alias, ['give_up', record.id], signal);
    return slurmSighting(await ask(), record.limits.array, now());
  }

  async read(record: JobRecord, offset: number, signal: Signal): Promise<OutputPiece> {
    const words = ['piece', record.id, String(offset), String(PIECE_BYTES)];
    const { bytes } = await askFor(this.room.shells, placeOf(record).alias, words, signal);
    return { offset, bytes };
  }

  async samples(record: JobRecord, signal: Signal): Promise<readonly JobSample[]> {
    const { alias } = placeOf(record);
    if (record.limits.array !== null) return this.watched.samplesOfTasks(alias, record, signal);
    return this.watched.samples(alias, record, signal);
  }

  async stop(record: JobRecord, rung: StopRung, signal: Signal): Promise<void> {
    const { alias } = placeOf(record);
    await askFor(this.room.shells, alias, ['slurm_halt', record.id, rung], signal, LOOK_MS);
  }

  async bring(place: JobPlace, id: string, files: FilesToBring, signal: Signal): Promise<string> {
    const { alias } = slurmPlace(place);
    return alias === null ? files.folder : copyToHost(this.room, alias, id, files, signal);
  }

  async takeBack(place: JobPlace, folder: string, signal: Signal): Promise<void> {
    const { alias } = slurmPlace(place);
    if (alias !== null) await takenBack(this.room.shells, alias, folder, signal);
  }

  async fetch(record: JobRecord, into: string, signal: Signal): Promise<readonly string[]> {
    const { alias, folder = '' } = placeOf(record);
    return alias === null ? [] : fetchChanged(this.room.shells, alias, record, folder, into, signal);
  }

  async clean(record: JobRecord, signal: Signal): Promise<void> {
    const seen = await this.look(record, signal);
    if (['running', 'queued', 'stopping', 'unknown'].includes(seen.state)) {
      throw new JobError('busy', 'The job is still running. Stop it first.');
    }
    await askFor(this.room.shells, placeOf(record).alias, ['clean', record.id], signal);
  }
}

const placeOf = ({ place }: JobRequest) => slurmPlace(place);

function slurmPlace(place: JobPlace): Extract<JobPlace, { readonly engine: 'slurm' }> {
  if (place.engine !== 'slurm') throw new JobError('bad-record', 'This job is not for Slurm.');
  if (place.alias !== null && !isAlias(place.alias)) {
    throw new JobError('refused', `“${place.alias}” isn't a valid host name.`);
  }
  return place;
}

export const slurm: EngineMaker = room => new SlurmEngine(remoteRoom(room, HOST_FUNCTIONS + SLURM_FUNCTIONS));
