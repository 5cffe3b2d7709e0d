import { scriptOf } from '../../remote/script';
import hostSh from './host.sh';
import keepSh from './keep.sh';
import { startWatch, WATCH } from './watchScript';

/**
 * A host's functions for a job, in plain POSIX `sh`. A job's folder is `~/.headroom/jobs/ID`:
 *
 *   work/     the copied files; the job's working folder, unless it uses a folder of the host
 *   begun/    created by the process that starts the job: a second start finds it and does nothing
 *   pid       process group, start time, boot id, time
 *   output    stdout and stderr
 *   samples   readings of its GPUs (watchScript)
 *   stop      the last rung of the stop ladder that was requested
 *   exit      status and time, written by the job's monitor
 *
 * A job is alive if its process group is, identified by number and start time because numbers are reused. The job's
 * environment contains HEADROOM_JOB, which identifies processes that left the group.
 */
export const HOST_FUNCTIONS = scriptOf(hostSh, {
  KEEP: scriptOf(keepSh, { START_WATCH: startWatch('"$w"', '"$J/samples"') }),
  WATCH,
});

/** Messages for the statuses of `begin` and others; ALIAS is the host. */
export const HOST_MESSAGES: Readonly<Record<number, string>> = {
  64: 'The start on ALIAS was canceled earlier. Start it again as a new job.',
  65: 'The copy to ALIAS is incomplete.',
  66: 'The folder does not exist on ALIAS or is not accessible.',
  67: 'The program was not found on ALIAS: not on its PATH, the PATH of a login shell, or in .venv of the folder.',
  69: 'ALIAS has no `setsid`, and its `sh` cannot start a job that outlives the connection.',
  70: 'ALIAS has no sbatch: the Slurm commands are not on its PATH. Use a login node of the cluster.',
  72: 'The Slurm controller does not answer on ALIAS.',
  73: "ALIAS couldn't write the job's files. Its disk may be full or its home folder read-only.",
  75: 'The job is still running on ALIAS. Stop it first.',
};
