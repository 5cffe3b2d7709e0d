import { cp, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { chooseFiles } from '../../jobs/copy/choose';
import { stateFolder } from '../../jobs/stateFolder';

/** A folder with all that a probe needs where it runs: Headroom's scripts, and their request. */
export interface Stage {
  readonly folder: string;
  readonly script: string;
  readonly request: string;
}

/** Its other contents. */
interface Staged {
  /** A folder of code to include as `code`; null: none. */
  readonly code: string | null;
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
  if (device !== null) await cp(device, join(folder, 'device.py'));
  await writeFile(join(folder, 'request.json'), JSON.stringify(request(folder)));
  return { folder, script: join(folder, 'start.py'), request: join(folder, 'request.json') };
}

const isSource = (path: string): boolean => !path.includes('__pycache__');

/** With the ignore rules of folders that are copied to a host. */
async function copyCode(from: string, to: string): Promise<void> {
  const { files } = await chooseFiles(from);
  for (const file of files) {
    await mkdir(dirname(join(to, file)), { recursive: true });
    await cp(join(from, file), join(to, file));
  }
}

async function sweep(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const folder = join(parent, name);
    const found = await stat(folder).catch(() => null);
    if (found && Date.now() - found.mtimeMs > DAY_MS) await rm(folder, { recursive: true, force: true });
  }
}
