import { markdownTable } from 'markdown-table';
import type { Analysis, RunAnalysis } from '../rules/analysis';
import type { Finding } from '../rules/rule';
import { basename } from '../text/paths';
import { escape, hover } from './hover';
import { sourceKey } from './keys';
import { measurementSection } from './measurements';
import type { DrawMeasurements } from './measurements';
import { describeOrigin, describeValue } from './origin';

/** A file's runs as a Markdown page: of each the memory sum, the findings, and everything as it was read. */
export function explanation({ file, runs, findings }: Analysis, draw: DrawMeasurements): string {
  const parts = [`# ${escape(basename(file))}`];
  if (findings.length > 0) parts.push(findingList(findings));
  for (const run of runs) parts.push(...runParts(run, file, draw));
  return `${parts.join('\n\n')}\n`;
}

function runParts(analysis: RunAnalysis, file: string, draw: DrawMeasurements): string[] {
  const { name, framework } = analysis.run;
  const parts = name === '' ? [] : [`## ${escape(name)}`];
  if (analysis.judged) parts.push(hover(analysis, { quantity: null, file, bar: null }));
  parts.push(...measurementSection(analysis.run, analysis.lessons?.measurements ?? [], draw));
  if (analysis.findings.length > 0) parts.push('### Findings', findingList(analysis.findings));
  const version = framework.version === null || framework.version === '' ? '' : ` ${framework.version}`;
  const title = analysis.tentative
    ? '### Keys guessed by name'
    : `### As ${escape(framework.name)}${version} reads it`;
  parts.push(title, quantityTable(analysis, file));
  return parts;
}

function findingList(findings: readonly Finding[]): string {
  return findings.map(findingItem).join('\n');
}

function findingItem({ severity, file, line, message, remedies }: Finding): string {
  const place = `${escape(basename(file))}, line ${line}`;
  const ways = remedies.map(({ title, effect }) => `  - ${escape(title)}: ${escape(effect)}`);
  return [`- **${severity}** (${place}): ${escape(message)}`, ...ways].join('\n');
}

function quantityTable({ run }: RunAnalysis, file: string): string {
  const rows = Object.entries({ ...run.quantities, ...run.details }).map(([name, quantity]) => {
    const key = sourceKey(name, quantity);
    const from = describeOrigin(quantity.origin, file);
    return [name, describeValue(quantity), key === name ? '' : `\`${key}\``, from].map((cell, column) =>
      column === 2 ? cell : escape(cell),
    );
  });
  return markdownTable([['quantity', 'value', 'key', 'from'], ...rows]);
}
