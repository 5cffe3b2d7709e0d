import { scriptOf } from '../../remote/script';
import { SLURM_FOLDERS } from '../../remote/slurmFolders';
import functionsSh from './functions.sh';

/**
 * What a machine with Slurm's commands is asked beside what any host is (hostScript). Every command of Slurm hangs for minutes
 * while the controller is away, so each has a limit. The job's folder has besides:
 *
 *   script     what was submitted
 *   slurm      the number that Slurm gave it
 *   started-N, exit-N   written by the script itself, for task N of an array; without -N where there is none: the time, and
 *                       the machine or the status
 *   samples-N             what the GPUs of task N showed
 *
 * \`task_pieces\` brings what is new in these, TASK:BYTES for what was read before, in pieces that say whose they are.
 * A crash between submitting and writing down the number loses nothing: the job's name has the id in it.
 */
export const SLURM_FUNCTIONS = scriptOf(functionsSh, { SLURM_FOLDERS });
