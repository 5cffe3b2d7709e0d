// The dialects that come with Headroom are YAML in the format of `.headroom/dialects`. They are read by the same parser
// when the project is built: a mistake in one ends the build with its line, and the bundle has plain JSON.
import { build as bundle, buildSync } from 'esbuild';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { root } from './root.mjs';

let parser = null;

/** What a bundle in CommonJS exports. */
function exportsOf(text) {
  const module = { exports: {} };
  new Function('module', 'exports', 'require', text)(module, module.exports, createRequire(import.meta.url));
  return module.exports;
}

/** The parser of dialects' files, from the sources. */
function parse(file, text) {
  if (parser === null) {
    const { outputFiles } = buildSync({
      entryPoints: [join(root, 'src/core/dialects/defined/parse.ts')],
      bundle: true,
      platform: 'node',
      format: 'cjs',
      write: false,
      logLevel: 'warning',
    });
    parser = exportsOf(outputFiles[0].text).parseDefinition;
  }
  return parser(file, text);
}

const isEmpty = value => value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/** Without the fields that say nothing: they are filled in when the dialect is made. */
const compact = row => Object.fromEntries(Object.entries(row).filter(([, value]) => !isEmpty(value)));

/** One file as JSON, or what is wrong in it, for esbuild. */
export function readDialectFile(path) {
  const text = readFileSync(path, 'utf8');
  const file = relative(root, path);
  const { definition, problems } = parse(file, text);
  const errors = problems.map(({ span, message }) => ({
    text: message,
    location: { file, line: text.slice(0, span.start).split('\n').length },
  }));
  if (definition === null && errors.length === 0) errors.push({ text: `${file} is no dialect.` });
  if (errors.length > 0) return { errors };
  const rows = Object.fromEntries(Object.entries(definition.rows).map(([name, row]) => [name, compact(row)]));
  return { contents: JSON.stringify({ ...definition, rows }), loader: 'json', watchFiles: [path] };
}

/**
 * The signatures of all dialects with what their packs add, as far as the scan of a text needs them, so that it loads
 * nothing else.
 */
async function readSignatures() {
  const { outputFiles } = await bundle({
    stdin: {
      contents:
        "export { dialects } from './src/core/dialects/registry'; export { packed } from './src/core/dialects/engine/scan';",
      resolveDir: root,
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
    logLevel: 'warning',
    plugins: [dialectFiles],
  });
  const { dialects, packed } = exportsOf(outputFiles[0].text);
  return { contents: JSON.stringify(packed(dialects.map(({ signature }) => signature))), loader: 'json' };
}

/** Dialects' files as modules. */
export const dialectFiles = {
  name: 'dialect-files',
  setup(build) {
    build.onLoad({ filter: /dialects[\\/].*\.yaml$/ }, ({ path }) => readDialectFile(path));
    build.onResolve({ filter: /\.signatures$/ }, ({ path }) => ({ path, namespace: 'signatures' }));
    build.onLoad({ filter: /.*/, namespace: 'signatures' }, readSignatures);
  },
};
