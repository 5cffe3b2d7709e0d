import { scriptOf } from '../../remote/script';
import hostSh from './host.sh';
import keepSh from './keep.sh';
import { startWatch, WATCH } from './watchScript';

/**
 * What a host is asked to do for a job, in the plainest `sh`. A job's folder is `~/.headroom/jobs/ID`:
 *
 *   work/     what was copied; it starts there, unless it was given a folder of the host
 *   begun/    made once, by the process that starts the job: a second start finds it and starts nothing
 *   pid       process group, when it began, boot, time
 *   output    both streams
 *   samples   what its GPUs showed (watchScript)
 *   stop      the last rung of the ladder that was asked for
 *   exit      status and time, written by what keeps the job
 *
 * Whether it lives is asked of the process group, whose number counts only with the time at which it began (numbers are given
 * again). The job's environment carries HEADROOM_JOB, by which a process that left the group is known as its own.
 */
export const HOST_FUNCTIONS = scriptOf(hostSh, {
  KEEP: scriptOf(keepSh, { START_WATCH: startWatch('"$w"', '"$J/samples"') }),
  WATCH,
});

/** What a status of `begin` and others means, for people; ALIAS is the host. */
export const HOST_SAYINGS: Readonly<Record<number, string>> = {
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
