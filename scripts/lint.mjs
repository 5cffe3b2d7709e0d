// Runs the lint rules and the format check concurrently, since each is a single-threaded process. Clean files are
// cached below out.
import { run } from './lib/processes.mjs';
import { root } from './lib/root.mjs';

const programs = [
  ['eslint/bin/eslint.js', '.', '--max-warnings', '0', '--cache', '--cache-location', 'out/eslint-cache'],
  [
    'prettier/bin/prettier.cjs',
    ...['--check', '--log-level', 'warn', '.'],
    ...['--cache', '--cache-location', 'out/prettier-cache'],
  ],
];
const runs = programs.map(([program, ...args]) =>
  run(process.execPath, [`node_modules/${program}`, ...args], { cwd: root, echo: true }),
);
const ended = await Promise.all(runs);
process.exitCode = ended.every(({ status }) => status === 0) ? 0 : 1;
