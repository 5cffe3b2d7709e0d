import { DESCRIBE_FORMAT } from '../core/render/text';
import type { Analysis } from '../core/rules/analysis';

/** Findings that make an input bad: the file could not be read as its format. */
const UNREADABLE: ReadonlySet<string> = new Set([
  'yaml-syntax',
  'file-too-large',
  'file-too-deep',
  'file-not-text',
  'unreadable-value',
  'dialect-definition',
]);

/** One sentence per problem that makes a file unreadable: file, place, what to do. */
export function unreadable(analysis: Analysis, named: boolean): string[] {
  if (!named && analysis.dialect === null) return [];
  return analysis.findings
    .filter(finding => UNREADABLE.has(finding.rule))
    .map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`);
}

/** A dialect near a file that has errors, and a sentence about them. */
export interface FaultyDialect {
  readonly file: string;
  readonly says: string;
}

/** Dialects near a file that have errors; these don't make the file itself unreadable. */
export function faultyDialects({ nearby = [] }: Analysis): FaultyDialect[] {
  return [...new Set(nearby.map(({ file }) => file))].flatMap(file => {
    const [first, ...others] = nearby.filter(finding => finding.file === file);
    if (!first) return [];
    const count = others.length === 0 ? 'a problem' : `${others.length + 1} problems`;
    const at = `${file}:${first.line}:${first.column}`;
    const says = `${at}: ${count} in this config format: ${first.message} See all: headroom check ${file}`;
    return [{ file, says }];
  });
}

/** Why a named file has no run to explain or plan for. */
export function noRun({ file, dialect, runs }: Analysis): string {
  if (dialect !== null && runs.length === 0) {
    return `${file}: starts nothing that Headroom can read. Give the config of the run, or a dry run of your own code: headroom profile --entry.`;
  }
  if (dialect !== null) {
    return `${file} is part of a run (${dialect}). Give the config that references it.`;
  }
  return `${file}: not a config format that Headroom knows. ${DESCRIBE_FORMAT}`;
}

/**
 * The runs that a verb is about: those with the given name, else those that the file itself contributes to (a
 * curriculum stage names its config, which also has other stages). A sentence if no run has the name.
 */
export function selectedRuns(analysis: Analysis, name: string | undefined): Analysis | string {
  const { file, runs } = analysis;
  if (name === undefined) {
    const having = (...kinds: readonly string[]): Analysis['runs'] =>
      runs.filter(({ run }) =>
        run.sources.some(({ path, via }) => path === file && kinds.includes(via.kind)),
      );
    // A script lies over the program of one run, and is the config of the next.
    return having('overlay').length > 0 ? { ...analysis, runs: having('overlay', 'config') } : analysis;
  }
  const named = runs.filter(({ run }) => run.name === name);
  if (named.length > 0) return { ...analysis, runs: named };
  const names = runs.map(({ run }) => run.name).filter(one => one !== '');
  const known = names.length > 0 ? ` It has ${names.join(', ')}.` : '';
  return `${file}: no run named ${name}.${known}`;
}
