import { Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, l10n, Uri } from 'vscode';
import type { Severity } from '../core/spec/conditions';
import { visible } from '../core/text/visible';
import { commandLink } from '../host/commands';
import type { Core } from './loading';
import type { RunFinding } from './findings';
import { locationIn } from './places';
import type { LocatedAnalysis } from './places';

export const SOURCE = 'Headroom';

const SEVERITIES: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  information: DiagnosticSeverity.Information,
  hint: DiagnosticSeverity.Hint,
};

/** Rules about the total: the keys behind its largest terms are related information. */
const ABOUT_THE_SUM = new Set(['does-not-fit', 'tight']);

/** A finding as VS Code shows it, and where; its code links to the rule's page. */
export function asDiagnostic(
  analyzed: LocatedAnalysis,
  found: RunFinding,
  core: Core,
): { readonly uri: Uri; readonly diagnostic: Diagnostic } {
  const { finding } = found;
  const { uri, range } = locationIn(analyzed, finding.file, finding.span);
  const diagnostic = new Diagnostic(range, visible(finding.message), SEVERITIES[finding.severity]);
  diagnostic.source = SOURCE;
  diagnostic.code = {
    value: finding.rule,
    target: Uri.parse(commandLink('headroom.showRule', finding.rule)),
  };
  diagnostic.relatedInformation = related(analyzed, found, core);
  return { uri, diagnostic };
}

function related(
  analyzed: LocatedAnalysis,
  { finding, run }: RunFinding,
  core: Core,
): DiagnosticRelatedInformation[] {
  const places = run && ABOUT_THE_SUM.has(finding.rule) ? core.relatedPlaces(run) : [];
  const others = places.filter(({ at }) => at.file !== finding.file || at.path !== finding.path);
  const all = others.map(({ at, message }) => ({ file: at.file, span: at.keySpan, message }));
  if (run && finding.file !== analyzed.file) {
    all.push({ file: analyzed.file, span: { start: 0, end: 0 }, message: l10n.t('a run of this config') });
  }
  return all.map(
    ({ file, span, message }) => new DiagnosticRelatedInformation(locationIn(analyzed, file, span), message),
  );
}
