// npm run package: builds for release and packs dist/<name>-<version>.vsix. Everything that ships is JavaScript and
// data, so one package serves all platforms.
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './lib/build.mjs';
import { root } from './lib/root.mjs';

const KB = 1000;
/** DESIGN §7 for the extension's own bundle; the package as a whole stays a quick download. */
const limits = { 'dist/extension.js': 250 * KB, package: 1000 * KB };

const required = [
  ...['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'media/icon.png'],
  ...['dist/extension.js', 'dist/analysis.js', 'dist/worker.js', 'dist/cli.js'],
  ...['dist/data/models.json', 'dist/data/gpus.json'],
];
const allowed = [
  /^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/,
  /^dist\/[\w-]+\.js$/,
  /^dist\/data\/[\w./-]+\.json$/,
  /^docs\/rules\/[\w-]+\.md$/,
  /^media\/(icon\.png|walkthrough\/[\w-]+\.(md|svg))$/,
];

/** What is wrong with the list of files, one phrase each. */
function flawsOf(files) {
  const missing = required.filter(name => !files.includes(name)).map(name => `${name} is missing`);
  const stray = files.filter(name => !allowed.some(pattern => pattern.test(name)));
  return [...missing, ...stray.map(name => `${name} does not belong there`)];
}

function tooLarge(file, limit) {
  const { size } = statSync(join(root, file));
  return size > limit ? [`${file} has ${Math.ceil(size / KB)} kB, more than ${limit / KB}`] : [];
}

const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const target = `dist/${name}-${version}.vsix`;

rmSync(join(root, 'dist'), { recursive: true, force: true });
await build({ production: true });
// Only now: on a fresh clone the packages are installed by the build.
const { createVSIX, listFiles, PackageManager } = await import('@vscode/vsce');
const files = await listFiles({ cwd: root, packageManager: PackageManager.None });
await createVSIX({
  cwd: root,
  dependencies: false,
  packagePath: join(root, target),
  allowMissingRepository: true,
});

const flaws = [
  ...flawsOf(files),
  ...tooLarge('dist/extension.js', limits['dist/extension.js']),
  ...tooLarge(target, limits.package),
];
for (const flaw of flaws) console.error(`The package is not fit to ship: ${flaw}.`);
if (flaws.length > 0) process.exit(1);
console.log(`${target}: ${files.length} files, ${Math.ceil(statSync(join(root, target)).size / KB)} kB`);
