// What the npm package of the command line contains: no part of VS Code, and no native library.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files that are started by name, in addition to those that a file requires. */
const STARTED = ['cli.js', 'program.js', 'keeper.js'];

/** The bundles that the command line needs, found from what each one names. Sorted. */
export function filesOfProgram(dist) {
  const found = new Set();
  const open = [...STARTED];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name) || !existsSync(join(dist, name))) continue;
    found.add(name);
    const text = readFileSync(join(dist, name), 'utf8');
    for (const [, next] of text.matchAll(/["'`](?:\.\/)?([\w-]+\.js)["'`]/g)) open.push(next);
  }
  return [...found].sort();
}

/** The manifest of the package, from that of the extension: the engine for embeddings is up to the user. */
export function npmManifest(manifest, { description, engine }) {
  const { name, version, license, keywords, bin, engines } = manifest;
  const optional = Object.fromEntries(Object.keys(engine).map(one => [one, { optional: true }]));
  return {
    name,
    version,
    description,
    keywords,
    license,
    ...pick(manifest, ['repository', 'bugs', 'homepage']),
    bin,
    engines: { node: engines.node },
    peerDependencies: engine,
    peerDependenciesMeta: optional,
  };
}

const pick = (object, names) =>
  Object.fromEntries(names.filter(name => object[name]).map(name => [name, object[name]]));

const without = (object, names) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

/**
 * A bill of materials without what differs from one build to the next (a number, the time) and without addresses:
 * only packages whose code is in the bundles.
 */
export function billOf(bill, packages) {
  const shipped = new Set(packages.map(folder => folder.replace(/^.*node_modules\//, '')));
  const components = bill.components
    .filter(({ group, name }) => shipped.has(group ? `${group}/${name}` : name))
    .map(component => without(component, ['externalReferences', 'evidence', 'properties']))
    .toSorted((a, b) => (a.purl < b.purl ? -1 : 1));
  const metadata = without(bill.metadata, ['timestamp', 'tools']);
  const refs = new Set([metadata.component?.['bom-ref'], ...components.map(one => one['bom-ref'])]);
  const dependencies = bill.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(one => refs.has(one)) }));
  return { ...without(bill, ['serialNumber']), metadata, components, dependencies };
}
