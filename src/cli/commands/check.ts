import { FILE_RULES } from '../../core/analyse/fileFindings';
import { filesAsJson } from '../../core/render/json';
import { sarifLog } from '../../core/render/sarif';
import { DESCRIBE_FORMAT, LIST_FORMATS } from '../../core/render/text';
import { adviceText, onceEach, summaryText } from '../../core/render/summary';
import { allRules } from '../../core/rules/allRules';
import { version } from '../../../package.json';
import { ranOut } from '../../jobs/failures';
import { stateFolder } from '../../jobs/stateFolder';
import type { Checked, Printed } from '../checked';
import { checkFiles } from '../checkThreads';
import { checkSome } from '../checked';
import { TYPED, typedCommand } from '../typedCommand';
import { EXIT, exitCodeOf } from '../exit';
import type { FailOn } from '../exit';
import { json, terminal, TerminalText } from '../../core/text/terminal';
import { findInputs } from '../inputs';
import { isColored, terminalOutput } from '../output';
import type { Output, OutputOptions } from '../output';
import { NO_TARGET, Session } from '../session';
import type { DownloadOptions, TargetOptions } from '../session';

interface CheckOptions extends TargetOptions, DownloadOptions, OutputOptions {
  readonly failOn: FailOn;
  readonly run?: string;
  readonly json?: boolean;
  readonly sarif?: boolean;
}

/** `headroom check PATH…` or `-- COMMAND`: every config found, its verdict and findings. */
export async function check(paths: readonly string[], options: CheckOptions): Promise<void> {
  const output = terminalOutput(options);
  const session = new Session({ silent: true, download: options.download === true });
  const target = await session.target(options);
  const typed = await typedCommand(paths, process.argv);
  const { files, problems } =
    typed === null ? await findInputs(paths) : { files: [{ path: TYPED, named: true }], problems: [] };
  const task = {
    ...{ target, format: formatOf(options), colored: isColored(options), run: options.run },
    download: options.download === true,
    ranOut: await ranOut(stateFolder()),
  };
  const checked =
    typed === null
      ? await checkFiles(session, files, task)
      : await checkSome({ ...readingOf(session), read: () => Promise.resolve({ text: typed }) }, files, task);
  const bad = [...problems, ...checked.flatMap(file => file.bad)];
  const judged = onceEach(checked.filter(file => file.printed !== null));
  const own = new Set(files.map(({ path }) => path));
  const faulty = checked.flatMap(file => file.faultyDialects.filter(one => !own.has(one.file)));
  for (const sentence of new Set([...bad, ...faulty.map(one => one.says)])) output.err(sentence);
  if (judged.some(file => file.lacksTarget)) output.err(NO_TARGET);
  print(judged, files.length, options, output);
  process.exitCode = bad.length > 0 ? EXIT.bad : exitCodeOf(judged, options.failOn);
}

const readingOf = (session: Session): Pick<Session, 'analyze'> => ({
  analyze: (...given) => session.analyze(...given),
});

function formatOf({ json, sarif }: CheckOptions): Printed['format'] {
  if (json) return 'json';
  return sarif ? 'sarif' : 'text';
}

function print(checked: readonly Checked[], files: number, options: CheckOptions, output: Output): void {
  const printed = checked.flatMap(file => file.printed ?? []);
  if (options.json) {
    const all = printed.flatMap(one => (one.format === 'json' ? [one.json] : []));
    output.out(json(filesAsJson(all), 2));
    return;
  }
  if (options.sarif) {
    const results = printed.flatMap(one => (one.format === 'sarif' ? one.results : []));
    output.out(json(sarifLog(results, [...Object.values(FILE_RULES), ...allRules], version), 2));
    return;
  }
  const stranger = checked.find(one => one.isStranger);
  for (const one of checked) {
    if (one.printed?.format !== 'text') continue;
    output.out(TerminalText.trusted(one.printed.text));
    // Once is enough for all of them.
    if (one === stranger && !options.quiet) output.out(terminal`  ${output.paint.dim(DESCRIBE_FORMAT)}`);
  }
  if (options.quiet) return;
  output.out(summaryText(checked, files));
  const isEmpty = files > 0 && !stranger && checked.every(({ dialect }) => dialect === null);
  if (isEmpty) output.out(terminal`${output.paint.dim(LIST_FORMATS)}`);
  const advice = adviceText(checked);
  if (advice !== null) output.out(advice);
}
