import { definitionOf } from '../dialects/defined/definition';
import { parseDefinition } from '../dialects/defined/parse';
import type { Reading } from '../reading/read';
import { allRules } from '../rules/allRules';
import { ignoredIn, isIgnored, unknownRule } from '../rules/ignore';
import type { Finding } from '../rules/rule';
import type { Severity } from '../spec/conditions';
import { LineIndex } from '../text/span';
import type { Span } from '../text/span';
import type { YamlProblemCode } from '../yaml/node';
import { formatPath } from '../yaml/path';
import { english } from '../text/say';
import type { Say } from '../text/say';

/** A finding about a file that needs no estimate; documented in docs/rules like a rule. */
interface FileRule {
  readonly id: string;
  readonly severity: Severity;
  readonly summary: string;
  /** Where the facts come from. */
  readonly sources: readonly string[];
}

export const FILE_RULES = {
  // A warning, since PyYAML accepts some of what the YAML 1.2 grammar does not.
  syntax: {
    id: 'yaml-syntax',
    severity: 'warning',
    summary: 'The file breaks the rules of YAML.',
    sources: ['YAML 1.2.2, as the parser `yaml` reads it; PyYAML reads YAML 1.1'],
  },
  'duplicate-key': {
    id: 'yaml-duplicate-key',
    severity: 'warning',
    summary: 'One mapping has the same key twice; the last one counts.',
    sources: ['YAML 1.2.2 §3.2.1.3: the keys of a mapping are unique; PyYAML takes the last one'],
  },
  'unknown-alias': {
    id: 'yaml-unknown-alias',
    severity: 'warning',
    summary: 'An alias points to an anchor that does not exist.',
    sources: ['YAML 1.2.2 §7.1: an alias refers to an anchor before it'],
  },
  'too-large': {
    id: 'file-too-large',
    severity: 'hint',
    summary: 'The file is too large for a config and was not analyzed.',
    sources: ['the largest public config seen has 165 kB; the limit is 4 MB'],
  },
  'too-deep': {
    id: 'file-too-deep',
    severity: 'hint',
    summary: 'The file is nested too deeply for a config and was not analyzed.',
    sources: ['64 levels are five times the depth of the deepest public config seen'],
  },
  binary: {
    id: 'file-not-text',
    severity: 'hint',
    summary: 'The file is not text.',
    sources: ['YAML 1.2.2 §5.1: a stream of Unicode characters'],
  },
  'unreadable-value': {
    id: 'unreadable-value',
    severity: 'error',
    summary: 'A key has a value of the wrong kind.',
    sources: ['the values that each key takes, from the source of its framework'],
  },
  'missing-file': {
    id: 'missing-file',
    severity: 'warning',
    summary: 'The config names a file that does not exist.',
    sources: ['the keys by which configs name other files, from the source of their frameworks'],
  },
  'circular-files': {
    id: 'circular-files',
    severity: 'error',
    summary: 'A config extends itself through the files that it names.',
    sources: ['Detectron2 config.py, Hydra defaults_list.py: neither ends'],
  },
  'key-in-two-files': {
    id: 'key-in-two-files',
    severity: 'error',
    summary: 'Two files of one run have the same key, and the program accepts it only once.',
    sources: [
      'GPT-NeoX megatron/neox_arguments/arguments.py, from_ymls: raises on a key that was loaded before',
    ],
  },
  'internal-error': {
    id: 'internal-error',
    severity: 'error',
    summary: 'Headroom itself failed on this file.',
    sources: ['an error that Headroom does not expect, from any content of a file'],
  },
  'dialect-definition': {
    id: 'dialect-definition',
    severity: 'error',
    summary: 'A file that defines a dialect has an error.',
    sources: ['docs/dialects.md, Dialects of a workspace'],
  },
  'unknown-ignored-rule': {
    id: 'unknown-ignored-rule',
    severity: 'hint',
    summary: 'A comment ignores a rule that does not exist.',
    sources: ['docs/rules, Ignore a finding'],
  },
} as const satisfies Readonly<
  Record<
    | YamlProblemCode
    | Reading['notes'][number]['code']
    | 'internal-error'
    | 'dialect-definition'
    | 'unknown-ignored-rule',
    FileRule
  >
>;

/** Problems that keep a file from being read at all; reported even if no dialect was recognized. */
const FATAL: ReadonlySet<string> = new Set(['too-large', 'too-deep', 'binary']);

/** Findings about a file in `.headroom/dialects`, each at its key. */
export function definitionFindings(
  file: string,
  text: string,
  severities: Readonly<Record<string, Severity | 'off'>>,
): Finding[] {
  const rule = FILE_RULES['dialect-definition'];
  const severity = severities[rule.id] ?? rule.severity;
  if (severity === 'off') return [];
  const lines = new LineIndex(text);
  return parseDefinition(file, text).problems.map(({ span, path, message }) => ({
    rule: rule.id,
    severity,
    file,
    span,
    ...lines.placeOf(span.start),
    path: formatPath(path),
    message,
    fixable: false,
    remedies: [],
  }));
}

/** Findings about the file itself and the files it names. Files without a dialect get none. */
export function fileFindings(
  reading: Reading,
  severities: Readonly<Record<string, Severity | 'off'>>,
  say: Say = english,
): Finding[] {
  const lines = new LineIndex(reading.yaml.text);
  const findings: Finding[] = [];
  const add = (code: keyof typeof FILE_RULES, span: Span, path: string, message: string): void => {
    const rule: FileRule = FILE_RULES[code];
    const severity = severities[rule.id] ?? rule.severity;
    const place = lines.placeOf(span.start);
    if (severity === 'off' || isIgnored(reading.yaml, rule.id, place.line)) return;
    findings.push({
      rule: rule.id,
      severity,
      file: reading.file,
      span,
      ...place,
      path,
      message,
      fixable: false,
      remedies: [],
    });
  };
  for (const { code, span, message } of reading.yaml.problems) {
    if (reading.dialect !== null || FATAL.has(code)) add(code, span, '', message);
  }
  for (const { code, at, message: noteMessage } of reading.notes) {
    const message =
      code === 'missing-file'
        ? say('{0} Correct the name, or put the file there.', noteMessage)
        : noteMessage;
    // A note about a value in another file goes to the top of this file, because that file may not be open.
    const here = at.file === reading.file;
    add(
      code,
      here ? at.keySpan : { start: 0, end: 0 },
      at.path,
      here ? message : say('{0}, line {1}: {2}', at.file, at.line, message),
    );
  }
  for (const { id, span } of reading.dialect === null ? [] : ignoredIn(reading.yaml)) {
    const ids = rulesOver(reading);
    if (!ids.includes(id)) add('unknown-ignored-rule', span, '', unknownRule(say, id, ids));
  }
  return findings;
}

/** Ids of all rules that apply to a file. */
const rulesOver = ({ runs }: Reading): readonly string[] =>
  [
    ...allRules,
    ...Object.values<FileRule>(FILE_RULES),
    ...runs.flatMap(run => definitionOf(run)?.rules ?? []),
  ].map(({ id }) => id);
