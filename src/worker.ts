import { uriParts } from './host/paths';
import { workOn } from './host/inWorker';
import type { Ask } from './host/workSide';
import { lazily } from './host/lazily';
import type { Notice, WindowEnvironment, WorkerTask } from './editor/workerAnalyst';
import type { RuleFault } from './core/rules/rule';
import { stackOf } from './core/text/errors';
import type { Files, FileText } from './core/text/files';
import { isAbsolute, join } from './core/text/paths';
import type { Kind } from './editor/analyst';
import type { World } from './core/analyse/world';
import { NodeFiles } from './world/nodeFiles';
import { Translator } from './editor/translator';

/** `worker.js DATA VERSION`: the process that reads what strangers wrote, for the editor. */
const [, , data = '', version = ''] = process.argv;

/**
 * Files as the editor sees them. What is on this machine's disks is read here; what is open, with its unsaved text, and what is
 * on VS Code's other file systems, has to be asked for. Texts come without a byte order mark, as documents do.
 */
class SeenFiles implements Files {
  private readonly disk = new NodeFiles('');
  private ask: Ask = () => Promise.resolve(null);
  private folders: readonly string[] = [];
  private open: ReadonlySet<string> = new Set();

  look(ask: Ask, { folders, open }: WindowEnvironment): void {
    this.ask = ask;
    this.folders = folders;
    this.open = new Set(open);
  }

  async read(path: string): Promise<FileText> {
    const full = this.full(path);
    if (this.open.has(full) || !isOnDisk(full)) return (await this.ask('read', path)) as FileText;
    const found = await this.disk.read(full);
    return 'text' in found ? { text: found.text.replace(/^\uFEFF/, '') } : found;
  }

  bytes(path: string, offset: number, length: number): Promise<Uint8Array | null> {
    const full = this.full(path);
    return isOnDisk(full) ? this.disk.bytes(full, offset, length) : Promise.resolve(null);
  }

  async list(folder: string): Promise<readonly string[]> {
    const full = this.full(folder);
    return isOnDisk(full) ? this.disk.list(full) : ((await this.ask('list', folder)) as readonly string[]);
  }

  /** The workspace's folder that a file is in. */
  readonly top = (file: string): string | null => {
    const full = this.full(file);
    return this.folders.find(folder => full.startsWith(`${folder}/`)) ?? null;
  };

  /** What is relative is seen from the workspace. */
  private full(path: string): string {
    const [folder] = this.folders;
    return folder === undefined || isAbsolute(path) ? path : join(folder, path);
  }
}

const isOnDisk = (path: string): boolean => uriParts(path).scheme === 'file';

const files = new SeenFiles();
const opened = lazily(async () => (await import('./world/open')).openWorld(files, data, files.top, version));

/** What was found before and holds until it is told that something changed. */
let isOpen = false;

const translator = new Translator();

const NO_DIALECTS = { near: () => Promise.resolve([]) };

async function worldFor(ask: Ask, environment: WindowEnvironment): Promise<World> {
  files.look(ask, environment);
  const world = await opened();
  isOpen = true;
  return {
    ...world,
    say: await translator.say(ask),
    definitions: environment.hasDialects ? world.definitions : NO_DIALECTS,
    onRuleFault: ({ rule, file, error }: RuleFault) =>
      void ask('ruleFault', { rule, file, error: stackOf(error) }),
  };
}

/** Gives messages their turn: that no one waits any longer is one. */
const pause = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

async function forget({ about }: Notice): Promise<void> {
  if (!isOpen) return;
  const world = await opened();
  if (about === 'definitions') world.definitions.forget();
  else if (about === 'measured') {
    world.measurements.forget();
    world.lengths.forget();
  } else world.launchers.forget(about.folder);
}

workOn({
  work: async (task, ask, signal) => {
    const { work } = await import('./editor/fileAnalysis');
    const done = async <K extends Kind>({ kind, request, environment }: WorkerTask<K>) =>
      work[kind](request, await worldFor(ask, environment), pause, signal);
    return done(task as WorkerTask);
  },
  onNotice: notice => void forget(notice as Notice),
});
