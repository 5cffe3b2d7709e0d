import { commands } from '../dialects/command/shell';
import { VISIBLE } from '../dialects/command/word';
import { whole } from '../dialects/command/located';
import { basename } from '../text/paths';
import type { RunSpec } from '../spec/runSpec';
import { launchOf } from './launch';
import type { Opened } from './launch';
import { pathWords } from './words';
import type { LaunchOptions, LaunchResult } from './runLaunch';

/** Programs whose command is a Python program, by their names. */
const PYTHON = /^(?:python[\d.]*|torchrun|accelerate|uv|poetry)$/;
const SHELLS = /^(?:bash|sh|sbatch|zsh)$/;
const SCRIPT = /\.(?:sh|bash|sbatch|slurm)$/;

/**
 * The Python command that a run starts, for a dry run of the program: the one of the script around it, otherwise
 * its framework's own launch line.
 */
export function programOf(run: RunSpec, opened: Opened, options: LaunchOptions): LaunchResult {
  const script = run.sources.find(({ path }) => SCRIPT.test(path));
  if (script) return commandIn(script.yaml.text, script.path);
  const notebook = run.sources.find(({ path }) => /\.ipynb$/i.test(path));
  if (notebook) {
    const { config = '' } = pathWords(notebook.path, options.folder);
    return started(['jupyter', 'execute', config], notebook.path);
  }
  const found = launchOf(run, opened, options);
  if (!found.ok) return found;
  const { argv, open } = found.launch;
  if (open.length > 0) return { ok: false, why: `the command lacks ${open.join(', ')}` };
  if (SHELLS.test(basename(argv[0] ?? ''))) return { ok: false, why: `${argv[0] ?? ''} starts a script` };
  return found;
}

/** The only Python command of a shell script. */
function commandIn(text: string, path: string): LaunchResult {
  const all = commands(whole(text), new Map()).filter(words =>
    words.some(word => PYTHON.test(basename(word.text))),
  );
  const [only] = all;
  if (!only) return { ok: false, why: `${path} has no Python command` };
  if (all.length > 1) return { ok: false, why: `${path} has ${all.length} Python commands` };
  const first = only.findIndex(word => PYTHON.test(basename(word.text)));
  const words = only.slice(first).filter(word => !VISIBLE.test(word.text));
  const open = words.find(word => word.open);
  if (open) return { ok: false, why: `the value of ${open.text} in ${path} is not known` };
  return started(
    words.map(word => word.text),
    path,
  );
}

function started(argv: readonly string[], path: string): LaunchResult {
  const none = { open: [], verb: 'train', resume: null, writes: [], handsTo: null, isOwn: false };
  return { ok: true, launch: { ...none, argv, file: path, source: path } };
}
