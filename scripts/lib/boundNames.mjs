// Names that shared files export, bound once where they are imported. esbuild's CommonJS looks such a name up through two
// getters at each use. Both forms are the same because no exported name changes (lint
// forbids it) and files are never imported in a circle, which `circleOf` checks.

/** As esbuild prints them, with spaces or minified. */
const IMPORT = /(?<=^|;)import ?\{([^}]*)\} ?from ?("\.\/shared-\d+\.js");/gm;
const FROM = /(?<=^|;)import ?(?:\{[^}]*\} ?from ?)?"\.\/(shared-\d+\.js)";/gm;
const EXPORT = /(?<=^|[;}])export ?\{([^}]*)\};?$/m;

/** The code with `require` of shared files and `module.exports`. */
export function bindNames(code) {
  const exported = pairs(EXPORT.exec(code)?.[1] ?? '');
  const bound = code.replace(IMPORT, (whole, names, from) => {
    const object = pairs(names).map(([name, as]) => `${name}: ${as}`);
    // Source maps count lines.
    const lines = whole.replace(/[^\n]/g, '');
    return `const { ${object.join(', ')} } = require(${from});${lines}`;
  });
  if (exported.length === 0) return bound;
  const object = exported.map(([name, as]) => `${as}: ${name}`);
  return bound.replace(EXPORT, () => `module.exports = { ${object.join(', ')} };`);
}

/** `[name, its other name]` of each part of `a, b as c`. */
function pairs(list) {
  const parts = list.split(',').filter(part => part.trim() !== '');
  return parts.map(part => {
    const [name, as = name] = part.trim().split(' as ');
    return [name, as];
  });
}

/** A file that imports itself through others, or null; `codes` are the bundles by file name. */
export function circleOf(codes) {
  const done = new Set();
  const visit = (name, above) => {
    if (above.has(name)) return name;
    if (done.has(name)) return null;
    done.add(name);
    const below = [...(codes.get(name) ?? '').matchAll(FROM)].map(([, file]) => file);
    return below.map(file => visit(file, new Set([...above, name]))).find(found => found !== null) ?? null;
  };
  return [...codes.keys()].map(name => visit(name, new Set())).find(found => found !== null) ?? null;
}
