// Bundles that share code: what several need goes into files next to them (shared-1.js …).
import * as esbuild from 'esbuild';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bindNames, circleOf } from './boundNames.mjs';

const NAME = 'shared-';

/** esbuild options for bundles that share code; `options` are those for separate bundles. */
export const sharing = options => {
  const { banner, supported, sourcemap, plugins, ...rest } = options;
  return {
    ...rest,
    format: 'esm',
    splitting: true,
    chunkNames: `${NAME}[hash]`,
    sourcemap: sourcemap && 'inline',
    write: false,
    plugins: [...plugins, asCommonJs({ banner, supported, sourcemap, minify: options.minify })],
  };
};

/** esbuild shares code only between ES modules: each is converted to CommonJS, and shared files get short names. */
const asCommonJs = ({ banner, supported, sourcemap, minify }) => ({
  name: 'as CommonJS',
  setup(build) {
    const { outdir } = build.initialOptions;
    build.onEnd(async ({ outputFiles = [], errors }) => {
      if (errors.length > 0) return;
      const short = shortNames(outputFiles);
      mkdirSync(outdir, { recursive: true });
      for (const name of readdirSync(outdir)) if (name.startsWith(NAME)) rmSync(join(outdir, name));
      const nameOf = ({ path }) => short.get(basename(path)) ?? basename(path);
      const codes = new Map(outputFiles.map(file => [nameOf(file), withShortNames(file.text, short)]));
      const circle = circleOf(codes);
      if (circle !== null) throw new Error(`${circle} imports itself through others.`);
      await Promise.all(
        [...codes].map(async ([name, code]) => {
          const result = await esbuild.transform(bindNames(code), {
            ...{ format: 'cjs', platform: 'node', target: 'node20', sourcefile: name },
            ...{ banner: banner.js, supported, minify, sourcemap: sourcemap ? 'external' : false },
          });
          const file = join(outdir, name);
          const link = sourcemap ? `//# sourceMappingURL=${name}.map\n` : '';
          writeFileSync(file, result.code + link);
          if (sourcemap) writeFileSync(`${file}.map`, result.map);
        }),
      );
    });
  },
});

const withShortNames = (code, short) =>
  code.replace(new RegExp(`\\b${NAME}[A-Z0-9]{8}\\.js`, 'g'), long => short.get(long) ?? long);

/** Numbered by size, because a hash in a name would change with every build. */
function shortNames(files) {
  const shared = files.filter(({ path }) => basename(path).startsWith(NAME));
  const bySize = shared.toSorted((a, b) => b.contents.length - a.contents.length);
  return new Map(bySize.map(({ path }, i) => [basename(path), `${NAME}${i + 1}.js`]));
}
