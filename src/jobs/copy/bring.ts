import type { Shells } from '../../remote/shells';
import type { FilesToBring } from '../engine';
import { isJobId } from '../id';
import { askFor } from '../remote/host';
import { chooseFiles, theseFiles } from './choose';
import { refuseTooMuch } from './lines';
import { upload } from './upload';
import type { Signal } from '../../core/signal';

/**
 * Copies a folder, or named files of it, to a job's folder on a host, all or nothing; returns the folder there. The
 * limit applies only to folders: a caller that names files, such as a model's, knows their size.
 */
export async function copyToHost(
  { shells, mostCopyBytes }: { readonly shells: Shells; readonly mostCopyBytes: number },
  alias: string,
  id: string,
  { folder, files }: FilesToBring,
  signal: Signal,
): Promise<string> {
  const choice = files === null ? await chooseFiles(folder) : await theseFiles(folder, files);
  if (files === null) refuseTooMuch(choice, mostCopyBytes);
  await upload(shells, alias, id, choice, signal);
  return remoteFolder(id);
}

const remoteFolder = (id: string): string => `~/.headroom/jobs/${id}/work`;

/** Removes files that `broughtThere` copied; leaves any other folder alone. */
export async function takenBack(
  shells: Shells,
  alias: string,
  folder: string,
  signal: Signal,
): Promise<void> {
  const id = folder.split('/').at(-2) ?? '';
  if (isJobId(id) && folder === remoteFolder(id)) await askFor(shells, alias, ['clean', id], signal);
}
