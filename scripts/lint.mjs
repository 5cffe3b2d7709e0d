// Runs the lint rules, with types, and the format check.
import { run } from './lib/processes.mjs';
import { root } from './lib/root.mjs';

const programs = [['oxfmt', '--check'], ['oxlint']];
let failed = false;
for (const [name, ...args] of programs) {
  const { status } = await run(process.execPath, [`node_modules/${name}/bin/${name}`, ...args, '.'], {
    cwd: root,
    echo: true,
  });
  failed ||= status !== 0;
}
process.exitCode = failed ? 1 : 0;
