import type { Analysis } from '../../core/analysis';
import { FILE_RULES } from '../../core/fileFindings';
import { analysesAsJson } from '../../core/render/json';
import { analysesAsSarif } from '../../core/render/sarif';
import { adviceText, onceEach, summaryText } from '../../core/render/summary';
import { checkText } from '../../core/render/text';
import { rules } from '../../core/rules/registry';
import { version } from '../../../package.json';
import { EXIT, exitCodeOf } from '../exit';
import type { FailOn } from '../exit';
import { findInputs } from '../inputs';
import type { InputFile } from '../inputs';
import { terminalOutput } from '../output';
import type { Output, OutputOptions } from '../output';
import { unreadable } from '../problems';
import { hasEstimate, NO_TARGET, Session } from '../session';
import type { TargetOptions } from '../session';

interface CheckOptions extends TargetOptions, OutputOptions {
  readonly failOn: FailOn;
  readonly json?: boolean;
  readonly sarif?: boolean;
}

/** `headroom check PATH…`: every config found, its verdict and findings. */
export async function check(paths: readonly string[], options: CheckOptions): Promise<void> {
  const output = terminalOutput(options);
  const session = new Session();
  const target = await session.target(options);
  const { files, problems } = await findInputs(paths);
  const bad = [...problems];
  const analyses: Analysis[] = [];
  for await (const { file, read } of readAhead(session, files)) {
    if ('why' in read) {
      if (file.named) bad.push(read.why);
      continue;
    }
    const analysis = await session.analyse(file.path, read.text, target);
    bad.push(...unreadable(analysis, file.named));
    if (analysis.dialect !== null || analysis.findings.length > 0 || file.named) analyses.push(analysis);
  }
  const judged = onceEach(analyses);
  for (const sentence of bad) output.err(sentence);
  if (target === null && judged.some(hasEstimate)) output.err(NO_TARGET);
  print(judged, files, options, output);
  process.exitCode = bad.length > 0 ? EXIT.bad : exitCodeOf(judged, options.failOn);
}

/** Files read at a time, so that the disk works while the analysis does. */
const AHEAD = 16;

async function* readAhead(session: Session, files: readonly InputFile[]) {
  const pending: ReturnType<Session['read']>[] = [];
  for (const [i, file] of files.entries()) {
    while (pending.length <= AHEAD && i + pending.length < files.length) {
      pending.push(session.read(files[i + pending.length]?.path ?? ''));
    }
    const read = await pending.shift();
    if (read) yield { file, read };
  }
}

function print(
  analyses: readonly Analysis[],
  files: readonly InputFile[],
  options: CheckOptions,
  output: Output,
): void {
  if (options.json) {
    output.out(JSON.stringify(analysesAsJson(analyses), null, 2));
    return;
  }
  if (options.sarif) {
    output.out(
      JSON.stringify(analysesAsSarif(analyses, [...Object.values(FILE_RULES), ...rules], version), null, 2),
    );
    return;
  }
  for (const analysis of analyses) output.out(checkText(analysis, output.paint));
  if (options.quiet) return;
  output.out(summaryText(analyses, files.length));
  const advice = adviceText(analyses);
  if (advice !== null) output.out(advice);
}
