import { cp, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { reasonOf } from '../../core/text/errors';
import { chooseFiles } from '../../jobs/copy/choose';
import type { Choice } from '../../jobs/copy/choose';
import { refuseTooMuch } from '../../jobs/copy/lines';
import { JobError } from '../../jobs/engine';
import { mostCopiedTo } from '../../jobs/engineMaker';
import type { JobPlace } from '../../jobs/job';
import { stateFolder } from '../../jobs/stateFolder';

/** A folder with all that a probe needs where it runs: Headroom's scripts, and their request. */
export interface Stage {
  readonly folder: string;
  readonly script: string;
  readonly request: string;
}

/** Its other contents. */
interface Staged {
  /** The files of a folder of code to include as `code`; null: none. */
  readonly code: Choice | null;
  /** A file to include as `device.py`; null: none. */
  readonly device: string | null;
  /** `request(folder)`: the request, given this folder's local path. */
  readonly request: (folder: string) => object;
}

const DAY_MS = 86_400_000;

/** Creates the folder, and removes those that killed probes left behind. */
export async function stage({ code, device, request }: Staged): Promise<Stage> {
  const parent = join(stateFolder(), 'probes');
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await sweep(parent);
  const folder = await mkdtemp(join(parent, 'probe-'));
  const scripts = join(__dirname, 'python');
  for (const name of ['start.py', 'headroom_python']) {
    await cp(join(scripts, name), join(folder, name), { recursive: true, filter: isSource });
  }
  if (code !== null) await copyCode(code, join(folder, 'code'));
  // All that is here was chosen already: rules of folders above, such as a repository of the home folder, are not meant.
  await writeFile(join(folder, '.headroomignore'), '!*\n');
  if (device !== null) await cp(device, join(folder, 'device.py'));
  await writeFile(join(folder, 'request.json'), JSON.stringify(request(folder)));
  return { folder, script: join(folder, 'start.py'), request: join(folder, 'request.json') };
}

const isSource = (path: string): boolean => !path.includes('__pycache__');

/** The code of a folder that a job of a place may have: with the ignore rules and the limit of all copies. */
export async function codeFor(place: JobPlace, folder: string): Promise<Choice> {
  const choice = await chooseFiles(folder);
  refuseTooMuch(choice, mostCopiedTo(place));
  return choice;
}

async function copyCode({ folder, files }: Choice, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const file of files) {
    await mkdir(dirname(join(to, file)), { recursive: true });
    await cp(join(folder, file), join(to, file), { verbatimSymlinks: true }).catch((error: unknown) => {
      throw new JobError('disk', `${file} couldn't be copied: ${reasonOf(error)}`);
    });
  }
}

async function sweep(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const folder = join(parent, name);
    const found = await stat(folder).catch(() => null);
    if (found && Date.now() - found.mtimeMs > DAY_MS) await rm(folder, { recursive: true, force: true });
  }
}
