import type { Analysis, RunAnalysis } from '../rules/analysis';
import type { Finding } from '../rules/rule';
import { basename } from '../text/paths';
import { mdText, mdCode, mdJoined, mdParagraphs, mdTable } from '../text/markdown';
import type { Markdown } from '../text/markdown';
import { breakdown } from './hover';
import { describeOrigin, describeValue, displayName, sourceKey, shownQuantities } from './origin';
import { isTimed, runSpeed, serverSpeed } from '../plan/speed';
import { describeServedSpeed, describeSpeed } from './speed';
import { measurementSection } from './measurements';
import type { DrawMeasurements } from './measurements';

/** A file's runs as a Markdown page: for each run the estimate, the findings, and all values that were read. */
export function explanation({ file, runs, findings }: Analysis, draw: DrawMeasurements): Markdown {
  const parts = [mdText`# ${basename(file)}`];
  if (findings.length > 0) parts.push(findingList(findings));
  for (const run of runs) parts.push(...runParts(run, file, draw));
  return mdText`${mdParagraphs(parts)}\n`;
}

function runParts(analysis: RunAnalysis, file: string, draw: DrawMeasurements): Markdown[] {
  const { name, framework } = analysis.run;
  const parts = name === '' ? [] : [mdText`## ${name}`];
  if (analysis.judged) parts.push(breakdown(analysis, file));
  const server = serverSpeed(analysis);
  if (server) parts.push(mdText`### Speed`, mdText`${describeServedSpeed(server)}`);
  if (isTimed(analysis)) {
    parts.push(mdText`### Time and cost`, mdJoined(describeSpeed(runSpeed(analysis)), ' '));
  }
  parts.push(...measurementSection(analysis.run, analysis.lessons?.measurements ?? [], draw));
  if (analysis.findings.length > 0) parts.push(mdText`### Findings`, findingList(analysis.findings));
  const version = framework.version === null || framework.version === '' ? '' : ` ${framework.version}`;
  const title = analysis.tentative
    ? mdText`### Keys guessed by name`
    : mdText`### As ${framework.name}${version} reads it`;
  parts.push(title, quantityTable(analysis, file));
  return parts;
}

function findingList(findings: readonly Finding[]): Markdown {
  return mdJoined(findings.map(findingItem), '\n');
}

function findingItem({ severity, file, line, message, remedies }: Finding): Markdown {
  const place = `${basename(file)}, line ${line}`;
  const ways = remedies.map(({ title, effect }) => mdText`  - ${title}: ${effect}`);
  return mdJoined([mdText`- **${severity}** (${place}): ${message}`, ...ways], '\n');
}

function quantityTable(analysis: RunAnalysis, file: string): Markdown {
  const rows = shownQuantities(analysis).map(([name, quantity]) => {
    const key = sourceKey(name, quantity);
    const from = describeOrigin(quantity.origin, file);
    return [displayName(name), describeValue(quantity), key === name ? '' : mdCode(key), from];
  });
  return mdTable([['quantity', 'value', 'key', 'from'], ...rows]);
}
