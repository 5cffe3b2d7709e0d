import type { Analysis } from '../core/rules/analysis';
import { dialects } from '../core/dialects/registry';

/** Findings that make an input bad: the file could not be read as what it is. */
const UNREADABLE: ReadonlySet<string> = new Set([
  'yaml-syntax',
  'file-too-large',
  'file-too-deep',
  'file-not-text',
  'unreadable-value',
  'dialect-definition',
]);

/** One sentence for each thing in a file that cannot be read: file, place, what to do. */
export function unreadable(analysis: Analysis, named: boolean): string[] {
  if (!named && analysis.dialect === null) return [];
  return analysis.findings
    .filter(finding => UNREADABLE.has(finding.rule))
    .map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`);
}

/** Why a named file has no run to explain or to plan for. */
export function noRun({ file, dialect }: Analysis): string {
  if (dialect !== null) {
    return `${file} is part of a run (${dialect}). Give the config that references it.`;
  }
  const known = dialects.map(({ id }) => id).join(', ');
  return `${file}: not a config format that Headroom knows. It reads ${known}.`;
}
