import { createInterface } from 'node:readline/promises';
import { statSync } from 'node:fs';
import { json as asJson } from '../../core/text/terminal';
import { historyAsJson, historyText, keepQuestion } from '../../core/render/history';
import { attached } from '../history/attach';
import type { AttachedRun, Said } from '../history/attach';
import type { HistoryOptions } from '../history/options';
import { keepAll } from '../history/keep';
import { runsIn } from '../../world/logFolders';
import { EXIT } from '../exit';
import { BadInput, terminalOutput } from '../output';
import type { Output } from '../output';
import { Session } from '../session';

/** `headroom history DIR`: the memory and speed of past runs from their logs; keeps them on request. */
export async function history(folder: string, options: HistoryOptions): Promise<void> {
  const output = terminalOutput(options);
  if (!isFolder(folder)) throw new BadInput(`${folder}: not a folder. Give the folder that has the logs.`);
  const session = new Session({ computed: true, download: options.download === true });
  const said = await saidOf(options, session);
  const { runs, isWhole } = await runsIn(folder);
  const found = chosen(await attached(runs, folder, session, said), options.only);
  if (options.json === true) output.out(asJson(historyAsJson(found, isWhole), 2));
  else output.out(historyText(found, output.paint));
  if (!isWhole) output.err('Not everything was read: the folder is too large. Give a folder below it.');
  if (runs.length === 0) process.exitCode = EXIT.bad;
  else if (await isKept(found, options, output)) await keepAll(found, folder, options, output);
}

/** The runs that the user names; all without names. */
function chosen(found: readonly AttachedRun[], only: HistoryOptions['only']): readonly AttachedRun[] {
  if (only === undefined) return found;
  const unknown = only.find(name => !found.some(({ past }) => past.run === name));
  if (unknown !== undefined) throw new BadInput(`${unknown}: no such run. List them without --only.`);
  return found.filter(({ past }) => only.includes(past.run));
}

function isFolder(folder: string): boolean {
  try {
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}

/** What options say of all runs. */
async function saidOf({ config, run, gpu, gpus }: HistoryOptions, session: Session): Promise<Said> {
  const target = gpu === undefined ? null : await session.target({ gpu, ...(gpus && { gpus }) });
  if (config === undefined) {
    if (run !== undefined) throw new BadInput('--run needs --config: logged configs have one run.');
    return { config: null, run, target };
  }
  return { config: { path: config, text: await session.text(config) }, run, target };
}

/** Nothing is kept without the user's word. */
async function isKept(
  found: readonly AttachedRun[],
  { keep, json }: HistoryOptions,
  output: Output,
): Promise<boolean> {
  const question = keepQuestion(found);
  if (question === null) return false;
  if (keep === true) return true;
  if (json === true || !process.stdin.isTTY || !process.stderr.isTTY) {
    output.err(question.how);
    return false;
  }
  const asked = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await asked.question(`${question.ask} [y/N] `);
  asked.close();
  return /^y(?:es)?$/i.test(answer.trim());
}
