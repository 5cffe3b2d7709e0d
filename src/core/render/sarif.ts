import type { Log, ReportingDescriptor, Result } from 'sarif';
import type { Analysis } from '../analysis';
import type { Finding, Severity } from '../rules/rule';

const LEVELS: Readonly<Record<Severity, Result.level>> = {
  error: 'error',
  warning: 'warning',
  information: 'note',
  hint: 'note',
};

/** What SARIF tells of a rule. */
export interface RuleSummary {
  readonly id: string;
  readonly severity: Severity;
  readonly summary: string;
}

/** The findings as a SARIF 2.1.0 log, for code scanning in CI. Paths stay as they were given. */
export function analysesAsSarif(
  analyses: readonly Analysis[],
  rules: readonly RuleSummary[],
  version: string,
): Log {
  const findings = analyses.flatMap(analysis => [
    ...analysis.findings,
    ...analysis.runs.flatMap(run => run.findings),
  ]);
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Headroom', version, rules: rules.map(descriptor) } },
        results: findings.map(result),
      },
    ],
  };
}

function descriptor(rule: RuleSummary): ReportingDescriptor {
  return {
    id: rule.id,
    shortDescription: { text: rule.summary },
    defaultConfiguration: { level: LEVELS[rule.severity] },
  };
}

function result(finding: Finding): Result {
  return {
    ruleId: finding.rule,
    level: LEVELS[finding.severity],
    message: { text: finding.message },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: finding.file },
          region: { startLine: finding.line, startColumn: finding.column },
        },
      },
    ],
  };
}
