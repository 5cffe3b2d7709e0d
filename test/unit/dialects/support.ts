import type { FileText } from '../../../src/core/text/files';
import type { World } from '../../../src/core/analyse/world';
import { readConfig } from '../../../src/core/reading/read';
import type { Reading } from '../../../src/core/reading/read';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import type { Signal } from '../../../src/core/signal';
import { dirname } from '../../../src/core/text/paths';
import type { KeyEdit } from '../../../src/core/yaml/keyEdit';

/** A world of a few files in memory. */
export function worldOf(files: Readonly<Record<string, string>>): World {
  return {
    files: {
      read: path => {
        const text = files[path];
        return Promise.resolve<FileText>(text === undefined ? { absence: 'missing' } : { text });
      },
      list: folder =>
        Promise.resolve(
          Object.keys(files)
            .filter(path => dirname(path) === folder)
            .map(path => path.slice(path.lastIndexOf('/') + 1))
            .sort(),
        ),
    },
    models: { find: () => Promise.resolve({ model: null, why: null, dependencies: [] }) },
  };
}

export const running: Signal = { aborted: false };

/** Reads one of the files; the default is the first. */
export function read(
  files: Readonly<Record<string, string>>,
  opened = Object.keys(files)[0] ?? '',
): Promise<Reading> {
  return readConfig(opened, files[opened] ?? '', worldOf(files), running);
}

/** The only run of a single text. */
export async function runOf(text: string, path = 'config.yaml'): Promise<RunSpec> {
  const { runs } = await read({ [path]: text });
  const [run] = runs;
  if (!run || runs.length > 1) throw new Error(`${runs.length} runs in ${path}`);
  return run;
}

/** Applies edits to files, the last first so that offsets stay right; edits at the same offset keep their order. */
export function applied(
  files: Readonly<Record<string, string>>,
  edits: readonly KeyEdit[],
): Record<string, string> {
  const after = { ...files };
  const backwards = edits.toSorted((a, b) => b.edit.span.start - a.edit.span.start || -1);
  for (const { file, edit } of backwards) {
    const text = after[file] ?? '';
    after[file] = text.slice(0, edit.span.start) + edit.text + text.slice(edit.span.end);
  }
  return after;
}
