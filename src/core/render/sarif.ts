import type { Log, ReportingDescriptor, Result } from 'sarif';
import type { Analysis } from '../rules/analysis';
import type { Finding } from '../rules/rule';
import type { Severity } from '../spec/conditions';

const LEVELS: Readonly<Record<Severity, Result.level>> = {
  error: 'error',
  warning: 'warning',
  information: 'note',
  hint: 'note',
};

/** A rule's description in SARIF. */
interface RuleSummary {
  readonly id: string;
  readonly severity: Severity;
  readonly summary: string;
}

/** The findings of one file as results of a SARIF log. Paths are not changed. */
export function sarifResults({ findings, runs }: Analysis): Result[] {
  return [...findings, ...runs.flatMap(run => run.findings)].map(result);
}

/** Results as a SARIF 2.1.0 log, for code scanning in CI. */
export function sarifLog(results: readonly Result[], rules: readonly RuleSummary[], version: string): Log {
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Headroom', version, rules: rules.map(descriptor) } },
        results: [...results],
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
