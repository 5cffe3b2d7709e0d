import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { modelFromConfigJson } from '../core/models/fromConfig';
import { headerLength, LENGTH_BYTES, shardsOf, sizesOf } from '../core/models/safetensors';
import { getFile } from './request';
import type { Answer, Trouble } from './request';
import type { HubSettings } from './settings';

/** A repository of models: `owner/name` as the Hub allows them. */
interface Repository {
  readonly owner: string;
  readonly name: string;
}

/** Letters, digits, `-`, `_` and `.`, not at either end, at most 96 of them (huggingface_hub/utils/_validators.py). */
const PART = /^[A-Za-z0-9](?:[\w.-]{0,94}[\w])?$/;

/**
 * The repository of an id; null if it is not one. Ids come from strangers' files and become a part of an address and of a
 * folder, so nothing else passes.
 */
function repositoryOf(id: string): Repository | null {
  const [owner = '', name = '', ...rest] = id.split('/');
  const isOne = rest.length === 0 && PART.test(owner) && PART.test(name);
  return isOne && !/--|\.\./.test(id) && !name.endsWith('.git') ? { owner, name } : null;
}

/** A name of a file at the top of a repository. */
const isFileName = (name: string): boolean => /^[A-Za-z0-9][\w.-]{0,199}$/.test(name) && !name.includes('..');

/** Files of a repository that came, or a sentence about why none did. */
export type Downloaded =
  | { readonly ok: true; readonly folder: string; readonly bytes: number }
  | { readonly ok: false; readonly why: string };

/** Where downloads go, and the time that is stored with them. */
interface Shelf {
  readonly folder: string;
  readonly now: () => Date;
}

const KIB = 2 ** 10;
const MOST = { config: 1024 * KIB, index: 16 * 1024 * KIB, header: 16 * 1024 * KIB } as const;
/** For one repository, its base models included. */
const PATIENCE_MS = 60_000;
/** For one file. */
const FILE_MS = 20_000;
const MOST_SHARDS = 256;
const AT_ONCE = 4;
/** Adapters of adapters end here. */
const MOST_BASES = 4;

const CONFIG = 'config.json';
const ADAPTER = 'adapter_config.json';
const SINGLE = 'model.safetensors';
const INDEX = 'model.safetensors.index.json';

type Files = Map<string, Uint8Array>;

/**
 * Downloads what tells a model's architecture: `config.json` (of an adapter, that and the base model's) and, where that leaves
 * the number of parameters open, the headers of its safetensors files. Never weights.
 */
export async function downloadModel(
  id: string,
  settings: HubSettings,
  shelf: Shelf,
  signal: AbortSignal,
): Promise<Downloaded> {
  if (repositoryOf(id) === null) return { ok: false, why: `${id} is not a repository of the Hub` };
  if (settings.isOffline) return { ok: false, why: 'HF_HUB_OFFLINE is set' };
  const all = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  const download = new Download(settings, shelf, all);
  return download.model(id, MOST_BASES);
}

class Download {
  private bytes = 0;

  constructor(
    private readonly settings: HubSettings,
    private readonly shelf: Shelf,
    private readonly signal: AbortSignal,
  ) {}

  async model(id: string, deeper: number): Promise<Downloaded> {
    const files: Files = new Map();
    const config = await this.file(id, CONFIG, MOST.config);
    if (config.ok) {
      const text = new TextDecoder().decode(config.bytes);
      if (!isObject(text)) return { ok: false, why: `config.json of ${id} is not a JSON object` };
      files.set(CONFIG, config.bytes);
      const reading = modelFromConfigJson(id, text, 'download');
      if (!reading.ok || reading.model.parameters === null) await this.headers(id, files);
      return this.keep(id, files);
    }
    if (config.trouble.kind !== 'missing') {
      return { ok: false, why: troubleText(id, config.trouble, this.settings) };
    }
    const adapter = await this.file(id, ADAPTER, MOST.config);
    if (!adapter.ok) return { ok: false, why: troubleText(id, adapter.trouble, this.settings) };
    const base = baseOf(new TextDecoder().decode(adapter.bytes));
    if (base === null || deeper === 0) {
      return { ok: false, why: `the adapter ${id} names no base model of the Hub` };
    }
    files.set(ADAPTER, adapter.bytes);
    const kept = await this.keep(id, files);
    if (!kept.ok) return kept;
    const below = await this.model(base, deeper - 1);
    return below.ok ? { ...kept, bytes: this.bytes } : below;
  }

  /** The headers of a checkpoint, all or none: some of them would count too little. */
  private async headers(id: string, files: Files): Promise<void> {
    const index = await this.file(id, INDEX, MOST.index);
    const shards = index.ok ? shardsOf(new TextDecoder().decode(index.bytes)).filter(isFileName) : [SINGLE];
    if (shards.length > MOST_SHARDS) return;
    const headers: Files = new Map();
    const left = [...shards];
    const work = async (): Promise<void> => {
      for (let name = left.pop(); name !== undefined; name = left.pop()) {
        const header = await this.header(id, name);
        if (header !== null) headers.set(name, header);
        else left.length = 0;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (headers.size !== shards.length) return;
    if (index.ok) files.set(INDEX, index.bytes);
    for (const [name, bytes] of headers) files.set(name, bytes);
  }

  /** The beginning of a safetensors file up to the end of its header; null: it is not one. */
  private async header(id: string, name: string): Promise<Uint8Array | null> {
    const start = await this.file(id, name, LENGTH_BYTES, { from: 0, bytes: LENGTH_BYTES });
    const length = start.ok ? headerLength(start.bytes) : null;
    if (!start.ok || length === null || length > MOST.header) return null;
    const header = await this.file(id, name, length, { from: LENGTH_BYTES, bytes: length });
    const isWhole = header.ok && header.bytes.length === length;
    if (!isWhole || sizesOf(new TextDecoder().decode(header.bytes)) === null) return null;
    return Buffer.concat([start.bytes, header.bytes]);
  }

  private async file(
    id: string,
    name: string,
    mostBytes: number,
    range?: { readonly from: number; readonly bytes: number },
  ): Promise<Answer> {
    const signal = AbortSignal.any([this.signal, AbortSignal.timeout(FILE_MS)]);
    const wanted = { mostBytes, ...(range && { range }) };
    const answer = await getFile(this.settings, `/${id}/resolve/main/${name}`, wanted, signal);
    if (answer.ok) this.bytes += answer.bytes.length;
    return answer;
  }

  /** Written to a temporary folder, then renamed: readers see a complete folder or none. */
  private async keep(id: string, files: Files): Promise<Downloaded> {
    const folder = folderOf(this.shelf.folder, id);
    const part = `${folder}.${process.pid}.part`;
    const { href } = this.settings.endpoint;
    const note = { model: id, from: href, date: this.shelf.now().toISOString() };
    try {
      await rm(part, { recursive: true, force: true });
      await mkdir(part, { recursive: true });
      for (const [name, bytes] of files) await writeFile(join(part, name), bytes);
      await writeFile(join(part, 'downloaded.json'), `${JSON.stringify(note)}\n`);
      await rm(folder, { recursive: true, force: true });
      await rename(part, folder);
      return { ok: true, folder, bytes: this.bytes };
    } catch (error) {
      await rm(part, { recursive: true, force: true }).catch(() => undefined);
      const reason = error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : '';
      return { ok: false, why: `${dirname(folder)} is not writable (${reason})` };
    }
  }
}

/** The folder of a repository, as huggingface_hub names it. */
const folderOf = (shelf: string, id: string): string => join(shelf, `models--${id.replace('/', '--')}`);

function isObject(text: string): boolean {
  const reading = modelFromConfigJson('', text, 'download');
  return reading.ok || reading.why !== 'config.json is not a JSON object';
}

function baseOf(text: string): string | null {
  try {
    const { base_model_name_or_path: base } = JSON.parse(text) as { base_model_name_or_path?: unknown };
    return typeof base === 'string' && repositoryOf(base) !== null ? base : null;
  } catch {
    return null;
  }
}

/** A phrase: what went wrong and, where the user can do something, what. */
function troubleText(id: string, trouble: Trouble, { endpoint, token }: HubSettings): string {
  const { host } = endpoint;
  switch (trouble.kind) {
    case 'missing':
      return `${id} has no config.json at ${host}`;
    case 'private':
      return token === null
        ? `${host} has no public ${id}; set HF_TOKEN if it is private`
        : `${host} has no ${id} that your HF_TOKEN may read`;
    case 'gated':
      return token === null
        ? `${id} is gated: accept its terms at ${host} and set HF_TOKEN`
        : `${id} is gated: accept its terms at ${host}`;
    case 'too-large':
      return `the config.json of ${id} is too large to be one`;
    case 'timed-out':
      return `${host} took too long`;
    case 'canceled':
      return 'canceled';
    case 'redirects':
      return `${host} redirects to where Headroom does not follow`;
    case 'status':
      return `${host} answered with status ${trouble.status}`;
    case 'failed':
      return `${host} cannot be reached (${trouble.text})`;
  }
}
