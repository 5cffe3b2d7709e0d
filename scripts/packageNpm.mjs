// npm run package:npm: builds the command line for release and packs dist/<name>-<version>.tgz for npm, with its bill
// of materials (CycloneDX) inside and next to it. Same sources, same bytes.
//   --out=FOLDER: another folder for both
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from './lib/build.mjs';
import { noticesOf } from './lib/notices.mjs';
import { billOf, filesOfProgram, npmManifest } from './lib/npmPackage.mjs';
import { run } from './lib/processes.mjs';
import { manifestHere } from './lib/repository.mjs';
import { root } from './lib/root.mjs';
import { temporaryFolder } from './lib/temporary.mjs';

const KB = 1000;
const MOST_BYTES = 3000 * KB;
const ENGINE = ['onnxruntime-node', 'tokenizers'];
const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';

const out = resolve(
  process.argv.find(flag => flag.startsWith('--out='))?.slice('--out='.length) ?? join(root, 'dist'),
);
const manifest = manifestHere(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
const { folder } = temporaryFolder('headroom-npm');
const built = join(folder, 'built');
const packagesFile = join(folder, 'packages.json');
await build({ production: true, dist: built, packagesFile });
const packages = JSON.parse(readFileSync(packagesFile, 'utf8'));

const pack = join(folder, 'package');
mkdirSync(join(pack, 'dist'), { recursive: true });
for (const name of filesOfProgram(built)) cpSync(join(built, name), join(pack, 'dist', name));
for (const name of ['data', 'python']) {
  cpSync(join(built, name), join(pack, 'dist', name), { recursive: true });
}
for (const name of ['LICENSE', 'CHANGELOG.md']) cpSync(join(root, name), join(pack, name));
cpSync(join(root, 'docs/npm.md'), join(pack, 'README.md'));
writeFileSync(join(pack, 'THIRD_PARTY_NOTICES.txt'), noticesOf(packages, []));
const engine = Object.fromEntries(ENGINE.map(name => [name, manifest.dependencies[name]]));
const description = 'Know whether a training or serving config fits the GPU before you run it.';
writeFileSync(
  join(pack, 'package.json'),
  `${JSON.stringify(npmManifest(manifest, { description, engine }), null, 2)}\n`,
);

async function npm(...args) {
  const { status, output } = await run(NPM, args, { cwd: root, timeoutMs: 120_000 });
  if (status === 0) return output;
  console.error(`npm ${args[0]} failed:\n${output}`);
  process.exit(1);
}

const text = await npm('sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only');
const bill = `${JSON.stringify(billOf(JSON.parse(text.slice(text.indexOf('{'))), packages), null, 2)}\n`;
writeFileSync(join(pack, 'sbom.cdx.json'), bill);
mkdirSync(out, { recursive: true });
const name = `${manifest.name}-${manifest.version}.tgz`;
await npm('pack', pack, '--pack-destination', out, '--silent');
writeFileSync(join(out, `${manifest.name}-${manifest.version}.cdx.json`), bill);
const { size } = statSync(join(out, name));
console.log(`${name}: ${Math.ceil(size / KB)} kB`);
if (size > MOST_BYTES) {
  console.error(`The package is not fit to ship: ${name} has more than ${MOST_BYTES / KB} kB.`);
  process.exit(1);
}
