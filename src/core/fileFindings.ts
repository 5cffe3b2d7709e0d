import type { Reading } from './dialects/read';
import type { Finding, Severity } from './rules/rule';
import { LineIndex } from './text/span';
import type { Span } from './text/span';
import type { YamlProblemCode } from './yaml/node';

/** What is reported about a file before any run of it is judged; pages in docs/rules like those of rules. */
export interface FileRule {
  readonly id: string;
  readonly severity: Severity;
  readonly summary: string;
}

export const FILE_RULES = {
  // A warning, since PyYAML accepts some of what the YAML 1.2 grammar does not.
  syntax: { id: 'yaml-syntax', severity: 'warning', summary: 'The file breaks the rules of YAML.' },
  'duplicate-key': {
    id: 'yaml-duplicate-key',
    severity: 'warning',
    summary: 'A key stands twice in one mapping; the last one counts.',
  },
  'unknown-alias': {
    id: 'yaml-unknown-alias',
    severity: 'warning',
    summary: 'An alias points to an anchor that does not exist.',
  },
  'too-large': {
    id: 'file-too-large',
    severity: 'hint',
    summary: 'The file is larger than any config and was not analysed.',
  },
  'too-deep': {
    id: 'file-too-deep',
    severity: 'hint',
    summary: 'The file nests deeper than any config and was not analysed.',
  },
  binary: { id: 'file-not-text', severity: 'hint', summary: 'The file is not text.' },
  'unreadable-value': {
    id: 'unreadable-value',
    severity: 'error',
    summary: 'A value is not what its key takes.',
  },
  'missing-file': {
    id: 'missing-file',
    severity: 'warning',
    summary: 'The config names a file that is not there.',
  },
} as const satisfies Readonly<Record<YamlProblemCode | Reading['notes'][number]['code'], FileRule>>;

/** Problems that keep a file from being read at all: told even when nothing was recognised. */
const FATAL: ReadonlySet<string> = new Set(['too-large', 'too-deep', 'binary']);

/** Findings about the file itself and the files it names. A stranger gets none. */
export function fileFindings(
  reading: Reading,
  severities: Readonly<Record<string, Severity | 'off'>>,
): Finding[] {
  const lines = new LineIndex(reading.yaml.text);
  const findings: Finding[] = [];
  const add = (code: keyof typeof FILE_RULES, span: Span, path: string, message: string): void => {
    const rule: FileRule = FILE_RULES[code];
    const severity = severities[rule.id] ?? rule.severity;
    if (severity === 'off') return;
    findings.push({
      rule: rule.id,
      severity,
      file: reading.file,
      span,
      ...lines.placeOf(span.start),
      path,
      message,
      remedies: [],
    });
  };
  for (const { code, span, message } of reading.yaml.problems) {
    if (reading.dialect !== null || FATAL.has(code)) add(code, span, '', message);
  }
  for (const { code, at, message } of reading.notes) {
    // A note about a value in another file is told at the top of this one: that file may not be open.
    const here = at.file === reading.file;
    add(
      code,
      here ? at.keySpan : { start: 0, end: 0 },
      at.path,
      here ? message : `${at.file}, line ${at.line}: ${message}`,
    );
  }
  return findings;
}
