import { version } from '../../package.json';
import type { World } from '../core/analyse/world';
import type { RuleFault } from '../core/rules/rule';
import { stackOf } from '../core/text/errors';
import type { Files, FileText } from '../core/text/files';
import { isAbsolute, join } from '../core/text/paths';
import type { Kind } from '../editor/analyst';
import { work } from '../editor/fileAnalysis';
import type { Notice, WindowEnvironment, WorkerTask } from '../editor/workerAnalyst';
import { receiver } from '../host/workSide';
import type { Ask } from '../host/workSide';
import type { ToWorker } from '../host/worker';
import { openWebWorld } from './world';
import { Translator } from '../editor/translator';

/** A browser's worker that reads what strangers wrote, for the editor. It has no files: it asks for all of them. */
class AskedFiles implements Files {
  private ask: Ask = () => Promise.resolve(null);
  private folders: readonly string[] = [];

  look(ask: Ask, { folders }: WindowEnvironment): void {
    this.ask = ask;
    this.folders = folders;
  }

  async read(path: string): Promise<FileText> {
    return (await this.ask('read', path)) as FileText;
  }

  async list(folder: string): Promise<readonly string[]> {
    return (await this.ask('list', folder)) as readonly string[];
  }

  readonly data = async (name: string): Promise<string> => (await this.ask('data', name)) as string;

  /** The workspace's folder that a file is in. */
  readonly top = (file: string): string | null => {
    const [first] = this.folders;
    const full = first === undefined || isAbsolute(file) ? file : join(first, file);
    return this.folders.find(folder => full.startsWith(`${folder}/`)) ?? null;
  };
}

const files = new AskedFiles();
const world = openWebWorld({ files, readData: files.data, top: files.top, version });

const translator = new Translator();

const NO_DIALECTS = { near: () => Promise.resolve([]) };

async function worldFor(ask: Ask, environment: WindowEnvironment): Promise<World> {
  files.look(ask, environment);
  return {
    ...world,
    say: await translator.say(ask),
    definitions: environment.hasDialects ? world.definitions : NO_DIALECTS,
    onRuleFault: ({ rule, file, error }: RuleFault) =>
      void ask('ruleFault', { rule, file, error: stackOf(error) }),
  };
}

/** Gives messages their turn. A timer would wait for 4 ms, which a search for plans does a thousand times. */
const pause = (): Promise<void> =>
  new Promise(resolve => {
    const { port1, port2 } = new MessageChannel();
    const turn = (): void => {
      port1.close();
      resolve();
    };
    // Node's types do not have it.
    Object.assign(port1, { onmessage: turn });
    port2.postMessage(null);
  });

function forget({ about }: Notice): void {
  if (about === 'definitions') world.definitions.forget();
  else if (about === 'measured') {
    world.measurements.forget();
    world.lengths.forget();
  } else world.launchers.forget(about.folder);
}

/** The worker's own global, as far as it is used; Node's types do not have it. */
const scope = globalThis as unknown as {
  postMessage(message: unknown): void;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
};

const receive = receiver(
  {
    work: (task, ask, signal) => {
      const done = async <K extends Kind>({ kind, request, environment }: WorkerTask<K>) =>
        work[kind](request, await worldFor(ask, environment), pause, signal);
      return done(task as WorkerTask);
    },
    onNotice: notice => forget(notice as Notice),
  },
  message => scope.postMessage(message),
);
scope.onmessage = ({ data }) => receive(data as ToWorker);
scope.postMessage({ kind: 'ready' });
