// Builds the extension for browsers without a machine: chunks load through VS Code's own file system, and Node is absent.
import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import { root } from './root.mjs';

/** Where `import('./…')` of a chunk leads. Its promise settles with the chunk, because the module has a `then`. */
const stub = name =>
  `import { loadChunk } from './chunks';\nexport const then = (done, failed) => loadChunk('${name}').then(done, failed);\n`;

/** Modules that have another form in a browser. */
const instead = {
  'src/host/digest.ts': 'src/web/digest.ts',
  'src/host/jsonFile.ts': 'src/web/jsonFile.ts',
};

/** Modules that nothing in a browser reaches: no file there is on a disk, and profiling is refused. */
const absent = ['src/host/onDisk.ts', 'src/editor/profile/chunk.ts'].map(file => join(root, file));

/** A loaded module of Node in the output: the chain of files that leads to it would start here. */
function nodeModulesIn({ outputs }) {
  const imports = Object.values(outputs).flatMap(output => output.imports);
  return [...new Set(imports.filter(({ path }) => isBuiltin(path)).map(({ path }) => path))];
}

/**
 * A plugin for esbuild.
 * - `chunks`: names of chunks by file; every other `import()` is part of the bundle.
 * - `isEntry`: false for a chunk, which is given the loader of the entry point.
 */
export const inBrowser = (chunks, { isEntry }) => ({
  name: 'in browser',
  setup(build) {
    const names = new Map(Object.entries(chunks).map(([file, name]) => [join(root, file), name]));
    const others = new Map(
      Object.entries(instead).map(([file, other]) => [join(root, file), join(root, other)]),
    );
    // Only what is used counts: a file may have a part for Node that no one here calls.
    build.onResolve({ filter: /^(?:node:)?[a-z_/0-9]+$/ }, ({ path }) =>
      isBuiltin(path) ? { path, external: true, sideEffects: false } : undefined,
    );
    build.onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
      const file = `${resolve(resolveDir, path)}.ts`;
      if (kind === 'dynamic-import') {
        if (names.has(file)) return { path: names.get(file), namespace: 'chunk' };
        if (absent.includes(file)) return { path: file, namespace: 'absent' };
      }
      if (!isEntry && file === join(root, 'src/web/chunks.ts')) {
        return { path: 'headroom-chunks', external: true };
      }
      return others.has(file) ? { path: others.get(file) } : undefined;
    });
    build.onLoad({ filter: /.*/, namespace: 'chunk' }, ({ path }) => ({
      contents: stub(path),
      resolveDir: join(root, 'src/web'),
    }));
    build.onLoad({ filter: /.*/, namespace: 'absent' }, () => ({ contents: 'export {};' }));
    build.onEnd(({ metafile, errors }) => {
      const found = metafile && errors.length === 0 ? nodeModulesIn(metafile) : [];
      return { errors: found.map(name => ({ text: `The build for browsers needs ${name}.` })) };
    });
  },
});
