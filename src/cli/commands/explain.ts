import { json } from '../../core/text/terminal';
import { analysesAsJson } from '../../core/render/json';
import { explainText } from '../../core/render/text';
import { EXIT, exitCodeOf } from '../exit';
import { BadInput, terminalOutput } from '../output';
import type { OutputOptions } from '../output';
import { noRun, selectedRuns, unreadable } from '../problems';
import { lacksTarget, NO_TARGET, Session } from '../session';
import type { DownloadOptions, TargetOptions } from '../session';

interface ExplainOptions extends TargetOptions, DownloadOptions, OutputOptions {
  readonly run?: string;
  readonly json?: boolean;
}

/** `headroom explain FILE`: the run as read, with the origin of each quantity, and the whole estimate. */
export async function explain(file: string, options: ExplainOptions): Promise<void> {
  const output = terminalOutput(options);
  const session = new Session({ download: options.download === true });
  const target = await session.target(options);
  const analysis = selectedRuns(await session.analyze(file, await session.text(file), target), options.run);
  if (typeof analysis === 'string') throw new BadInput(analysis);
  const bad = unreadable(analysis, true);
  for (const sentence of bad) output.err(sentence);
  if (options.json) output.out(json(analysesAsJson([analysis]), 2));
  else for (const run of analysis.runs) output.out(explainText(run, file, output.paint));
  if (lacksTarget(analysis)) output.err(NO_TARGET);
  const isUnrecognized = (analysis.dialect === null || analysis.runs.length === 0) && bad.length === 0;
  if (isUnrecognized) output.err(noRun(analysis));
  process.exitCode = isUnrecognized || bad.length > 0 ? EXIT.bad : exitCodeOf([analysis], 'exceeds');
}
