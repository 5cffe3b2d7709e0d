/**
 * Commands of people who say on which GPU they ran and whether memory was enough, each given to `headroom guard`:
 * `npm run --silent guard -- --commands FILE --json`. Prints `{commands, oom: {n, stopped, missed}, ran: {n, passed,
 * stopped}}`; `missed` and `stopped` of `ran` list ids. A line of FILE has `id gpu gpus outcome command files`.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { jsonLines, runTool } from '../toolArguments';

interface Labeled {
  readonly id: string;
  readonly gpu: string;
  readonly gpus: number;
  readonly outcome: 'oom' | 'ran';
  readonly command: string;
  /** Files next to it, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Whether the guard stops a command. It runs as users run it, in a folder with the command's files and no others. */
function isStopped({ gpu, gpus, command, files }: Labeled): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-guard-'));
  try {
    for (const [path, text] of Object.entries(files ?? {})) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const args = [resolve('dist/cli.js'), 'guard', '--gpu', gpu, '--gpus', `${gpus}`, '--', command];
    const env = {
      PATH: '',
      HOME: folder,
      XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? join(tmpdir(), 'headroom-guard-cache'),
    };
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' });
    if (status !== 0 && status !== 1) throw new Error(`${command}: exit code ${status}: ${stderr}`);
    return status === 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

void runTool({ many: ['commands'], none: ['json'] }, given => {
  const commands = given.paths('commands', 'file').flatMap(jsonLines) as readonly Labeled[];
  const stopped = new Set(commands.filter(isStopped).map(({ id }) => id));
  const idsOf = (outcome: string): readonly string[] =>
    commands.filter(one => one.outcome === outcome).map(({ id }) => id);
  const [oom, ran] = [idsOf('oom'), idsOf('ran')];
  const missed = oom.filter(id => !stopped.has(id));
  const falsely = ran.filter(id => stopped.has(id));
  const summary = {
    commands: commands.length,
    oom: { n: oom.length, stopped: oom.length - missed.length, missed },
    ran: { n: ran.length, passed: ran.length - falsely.length, stopped: falsely },
  };
  if (given.has('json')) process.stdout.write(`${JSON.stringify(summary)}\n`);
  else {
    process.stdout.write(
      `out of memory: ${summary.oom.stopped} of ${oom.length} stopped; missed ${missed.join(' ')}\n`,
    );
    process.stdout.write(`ran: ${falsely.length} of ${ran.length} stopped; ${falsely.join(' ')}\n`);
  }
  return 0;
});
