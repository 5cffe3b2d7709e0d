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
import { english, said, template } from '../text/say';
import { commas } from '../text/lists';
import type { Say, Template } from '../text/say';
import type { Severity } from '../spec/conditions';

/** A file's runs as a Markdown page: for each run the estimate, the findings, and all values that were read. */
export function explanation(
  { file, runs, findings }: Analysis,
  draw: DrawMeasurements,
  say: Say = english,
): Markdown {
  const parts = [mdText`# ${basename(file)}`];
  if (findings.length > 0) parts.push(findingList(say, findings));
  for (const run of runs) parts.push(...runParts(say, run, { file, draw }));
  return mdText`${mdParagraphs(parts)}\n`;
}

function runParts(
  say: Say,
  analysis: RunAnalysis,
  { file, draw }: { readonly file: string; readonly draw: DrawMeasurements },
): Markdown[] {
  const { name, framework } = analysis.run;
  const parts = name === '' ? [] : [mdText`## ${name}`];
  if (analysis.judged) parts.push(breakdown(analysis, file, say));
  const server = serverSpeed(analysis);
  if (server) parts.push(mdText`### ${say('Speed')}`, mdText`${describeServedSpeed(say, server)}`);
  if (isTimed(analysis)) {
    parts.push(mdText`### ${say('Time and cost')}`, mdJoined(describeSpeed(say, runSpeed(analysis)), ' '));
  }
  parts.push(...measurementSection(say, analysis.run, analysis.lessons?.measurements ?? [], draw));
  if (analysis.findings.length > 0) {
    parts.push(mdText`### ${say('Findings')}`, findingList(say, analysis.findings));
  }
  const version = framework.version === null || framework.version === '' ? '' : ` ${framework.version}`;
  const title = analysis.tentative
    ? mdText`### ${say('Keys guessed by name')}`
    : mdText`### ${say('As {0} reads it', `${framework.name}${version}`)}`;
  parts.push(title, quantityTable(say, analysis, file));
  return parts;
}

function findingList(say: Say, findings: readonly Finding[]): Markdown {
  return mdJoined(
    findings.map(one => findingItem(say, one)),
    '\n',
  );
}

const SEVERITIES: Readonly<Record<Severity, Template>> = {
  error: template('error'),
  warning: template('warning'),
  information: template('information'),
  hint: template('hint'),
};

function findingItem(say: Say, { severity, file, line, message, remedies }: Finding): Markdown {
  const place = commas(say, [basename(file), say('line {0}', line)]);
  const ways = remedies.map(({ title, effect }) => mdText`  - ${title}: ${effect}`);
  return mdJoined([mdText`- **${said(say, SEVERITIES[severity])}** (${place}): ${message}`, ...ways], '\n');
}

function quantityTable(say: Say, analysis: RunAnalysis, file: string): Markdown {
  const rows = shownQuantities(analysis).map(([name, quantity]) => {
    const key = sourceKey(name, quantity);
    const from = describeOrigin(say, quantity.origin, file);
    return [displayName(say, name), describeValue(say, quantity), key === name ? '' : mdCode(key), from];
  });
  return mdTable([[say('quantity'), say('value'), say('key'), say('from')], ...rows]);
}
