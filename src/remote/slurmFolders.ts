/** Where sites put Slurm that is not on the PATH of a session without a login shell. */
export const SLURM_FOLDERS = [
  '/opt/slurm/bin',
  '/opt/slurm/current/bin',
  '/usr/local/slurm/bin',
  '/cm/shared/apps/slurm/current/bin',
].join(':');
