import type { Analysis } from '../rules/analysis';
import { reasonOf, stackOf } from '../text/errors';
import { FILE_RULES } from './fileFindings';

/** How to report an error that Headroom does not expect. */
export const HOW_TO_REPORT =
  'This is a bug. Report it with “Headroom: Report Issue” in VS Code; HEADROOM_DEBUG=1 shows where it happened.';

const MOST_CHARACTERS = 200;

/**
 * The analysis of a file on which Headroom itself failed: a single finding at the top of the file, so that other
 * files are not affected. `withStack` adds the stack trace.
 */
export function failedAnalysis(file: string, error: unknown, withStack = false): Analysis {
  const { id, severity } = FILE_RULES['internal-error'];
  const why = reasonOf(error).replaceAll(/\s+/g, ' ').slice(0, MOST_CHARACTERS);
  const message = `Headroom failed on this file. ${HOW_TO_REPORT} The error: ${why}`;
  const finding = {
    rule: id,
    severity,
    file,
    span: { start: 0, end: 0 },
    line: 1,
    column: 1,
    path: '',
    message: withStack ? `${message}\n${stackOf(error)}` : message,
    fixable: false,
    remedies: [],
  };
  return { file, dialect: null, runs: [], findings: [finding], dependencies: [file] };
}
