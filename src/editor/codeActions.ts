import { CodeAction, CodeActionKind, l10n, languages, Location, WorkspaceEdit } from 'vscode';
import type { CodeActionContext, CodeActionProvider, Diagnostic } from 'vscode';
import type { PricedRemedy } from '../core/rules/remedy';
import type { Finding } from '../core/rules/rule';
import type { IgnoreScope } from '../core/rules/ignore';
import type { TextEdit } from '../core/text/textEdit';
import type { CommandId } from '../host/commands';
import { placeOn } from '../host/pages';
import type { Disposable } from '../host/disposables';
import type { EditorServices } from './services';
import type { Core } from './loading';
import type { Analyzed } from './analysisService';
import type { Analyst } from './analyst';
import { SOURCE } from './asDiagnostic';
import { FAILURE_RULE } from './failures';
import { findingsOf } from './findings';
import type { RunFinding } from './findings';
import { genericReading } from './makeDialect';
import { locationIn } from './places';
import type { LocatedAnalysis } from './places';
import { canDryRun } from './profile/lens';
import { configSelector } from './selector';
import { downloadable, UNKNOWN_MODEL } from './unknownModel';

/** The first fix for this rule makes the run fit. */
const DOES_NOT_FIT = 'does-not-fit';

/** Menus put unknown kinds last: below the rewrites. */
const SILENCE = CodeActionKind.Empty.append('silence');

const KINDS = [CodeActionKind.QuickFix, CodeActionKind.RefactorRewrite, SILENCE];

/** Remedies at the findings they fix: those without a cost as quick fixes, those with a trade-off as rewrites. */
export function registerCodeActions({ analysis, analyst, core }: EditorServices): Disposable {
  const provider: CodeActionProvider = {
    async provideCodeActions(document, range, context, token) {
      const analyzed = await analysis.at(document, token);
      if (!analyzed) return null;
      const here = findingsAt(analyzed, new Location(document.uri, range));
      const silencing = await silencers(analyst, analyzed, here);
      return actions(await core(), analyzed, { here, silencing }, context);
    },
  };
  return languages.registerCodeActionsProvider([...configSelector], provider, {
    providedCodeActionKinds: KINDS,
  });
}

const findingsAt = (analyzed: Analyzed, at: Location): readonly RunFinding[] =>
  findingsOf(analyzed).filter(({ finding: { file, span } }) => {
    if (file !== analyzed.file) return false;
    const { uri, range } = locationIn(analyzed, file, span);
    return uri.toString() === at.uri.toString() && range.intersection(at.range) !== undefined;
  });

/** Findings at a place, and ways to silence them. */
interface Found {
  readonly here: readonly RunFinding[];
  readonly silencing: readonly Silencer[];
}

function actions(
  core: Core,
  analyzed: Analyzed,
  { here, silencing: silencers }: Found,
  context: CodeActionContext,
): CodeAction[] {
  const kept = new Set(onePerEdit(here));
  const offered = here.flatMap(one => [
    ...renaming(analyzed, one, context.diagnostics),
    ...remedyActions(core, analyzed, { ...one, kept }, context.diagnostics),
  ]);
  const fit = here.find(({ finding, run }) => run && finding.rule === DOES_NOT_FIT);
  if (fit?.run) offered.unshift(plans(l10n.t('Make it fit …'), analyzed, fit, context.diagnostics));
  const preferred = offered.find(action => action.kind?.value === CodeActionKind.QuickFix.value);
  if (preferred) preferred.isPreferred = true;
  const planned = here.find(({ finding, run }) => run && finding.remedies.length > 0);
  if (planned && !fit) {
    offered.push(plans(l10n.t('Compare all plans for this run …'), analyzed, planned, context.diagnostics));
  }
  const unknown = here.find(({ finding, run }) => run && finding.rule === UNKNOWN_MODEL);
  if (unknown) offered.unshift(...unknownModelActions(core, analyzed, unknown, context.diagnostics));
  const failed = here.find(({ finding }) => finding.rule === FAILURE_RULE);
  if (failed?.run) offered.push(dismissal(analyzed, failed.run.run.name));
  if (genericReading(analyzed)) offered.push(ownDialect(analyzed));
  const silencing = silencers.map(({ finding, action }) => {
    action.diagnostics = shownFor(finding, context.diagnostics);
    return action;
  });
  // The menu of a problem requests only quick fixes, so there the silencing actions stay quick fixes.
  if (!context.only && offered.some(({ kind }) => kind?.value === CodeActionKind.RefactorRewrite.value)) {
    for (const action of silencing) action.kind = SILENCE;
  }
  offered.push(...silencing);
  return offered.filter(action => !context.only || (action.kind && context.only.contains(action.kind)));
}

/** One line may start several runs, as in a loop: of an edit that helps each, what the neediest then needs. */
function onePerEdit(here: readonly RunFinding[]): Iterable<PricedRemedy> {
  const need = ({ after }: PricedRemedy): number => after?.device.expected ?? 0;
  const byEdit = new Map<string, PricedRemedy>();
  for (const remedy of here.flatMap(({ finding }) => finding.remedies)) {
    const edit = JSON.stringify(remedy.edits);
    const other = byEdit.get(edit);
    if (!other || need(other) < need(remedy)) byEdit.set(edit, remedy);
  }
  return byEdit.values();
}

function remedyActions(
  core: Core,
  analyzed: Analyzed,
  { finding, kept }: RunFinding & { readonly kept: ReadonlySet<PricedRemedy> },
  diagnostics: readonly Diagnostic[],
): CodeAction[] {
  const fixed = shownFor(finding, diagnostics);
  const remedies = finding.remedies.filter(remedy => kept.has(remedy));
  return remedies.map(remedy => {
    const kind = remedy.price.quality === null ? CodeActionKind.QuickFix : CodeActionKind.RefactorRewrite;
    const action = new CodeAction(core.fixTitle(remedy, analyzed.file), kind);
    action.edit = workspaceEdit(analyzed, remedy);
    if (kind === CodeActionKind.QuickFix) action.diagnostics = fixed;
    return action;
  });
}

/** Renames a key to the name that it should have; a flag of a command keeps its dashes, a name its quotes. */
function renaming(
  analyzed: Analyzed,
  { finding }: RunFinding,
  diagnostics: readonly Diagnostic[],
): CodeAction[] {
  const { rename, file, path, span } = finding;
  const written = analyzed.text.slice(span.start, span.end);
  const key = /[\w-]+(?=\W*$)/.exec(path)?.[0] ?? '';
  if (rename === undefined || file !== analyzed.file || key === '' || !written.includes(key)) return [];
  const action = new CodeAction(l10n.t('Rename to {0}', rename), CodeActionKind.QuickFix);
  action.edit = new WorkspaceEdit();
  const { uri, range } = locationIn(analyzed, file, span);
  action.edit.replace(uri, range, written.replace(key, rename));
  action.diagnostics = shownFor(finding, diagnostics);
  return [action];
}

const shownFor = ({ message: findingMessage }: Finding, diagnostics: readonly Diagnostic[]): Diagnostic[] =>
  diagnostics.filter(({ source, message }) => source === SOURCE && message === findingMessage);

const onePerRule = (found: readonly RunFinding[]): readonly RunFinding[] => [
  ...new Map(found.map(one => [one.finding.rule, one])).values(),
];

/** A way to silence the rule of a finding. */
interface Silencer {
  readonly finding: Finding;
  readonly action: CodeAction;
}

const SCOPES: readonly IgnoreScope[] = ['line', 'file'];

/** Ways to silence each rule, from its line to the workspace, and the page that says what it is about. */
async function silencers(
  analyst: Analyst,
  { file: path, text, document }: Analyzed,
  here: readonly RunFinding[],
): Promise<readonly Silencer[]> {
  const findings = onePerRule(here).map(({ finding }) => finding);
  if (findings.length === 0) return [];
  const wanted = findings.flatMap(({ rule, line }) => SCOPES.map(scope => ({ rule, line, scope })));
  const edits = await analyst('ignore', { file: { path, text }, wanted });
  const comment = (title: string, edit: TextEdit | null | undefined): CodeAction[] => {
    if (!edit) return [];
    const action = new CodeAction(title, CodeActionKind.QuickFix);
    action.edit = new WorkspaceEdit();
    const { uri, range } = placeOn(document, edit.span);
    action.edit.replace(uri, range, edit.text);
    return [action];
  };
  return findings.flatMap((finding, at) => {
    const { rule } = finding;
    const [line, file] = edits.slice(at * SCOPES.length);
    const all = [
      ...comment(l10n.t('Ignore {0} here', rule), line),
      ...comment(l10n.t('Ignore {0} in this file', rule), file),
      byCommand(l10n.t('Ignore {0} in this workspace', rule), 'headroom.ignoreRule', rule),
      byCommand(l10n.t('Open rule {0}', rule), 'headroom.showRule', rule),
    ];
    return all.map(action => ({ finding, action }));
  });
}

function byCommand(title: string, command: CommandId, ...args: readonly unknown[]): CodeAction {
  const action = new CodeAction(title, CodeActionKind.QuickFix);
  action.command = { title, command, arguments: [...args] };
  return action;
}

/** A job's failure stays until the config changes or the user dismisses it. */
const dismissal = ({ document }: Analyzed, run: string): CodeAction =>
  byCommand(
    l10n.t('Dismiss the error of the last job'),
    'headroom.dismissFailure',
    document.uri.toString(),
    run,
  );

function ownDialect({ document }: Analyzed): CodeAction {
  const title = l10n.t('Teach Headroom this config format …');
  const action = new CodeAction(title, CodeActionKind.RefactorRewrite);
  action.command = { title, command: 'headroom.makeDialect', arguments: [document.uri.toString()] };
  return action;
}

/** Ways to provide an unknown model. */
function unknownModelActions(
  core: Core,
  { document }: Analyzed,
  { finding, run }: RunFinding,
  diagnostics: readonly Diagnostic[],
): CodeAction[] {
  if (!run) return [];
  const args = [document.uri.toString(), run.run.name];
  const download = downloadable(core, run) === null ? [] : [l10n.t('Download config.json from the Hub')];
  const dryRun = canDryRun(run) ? [l10n.t('Dry run of your own code …')] : [];
  const all = [
    ...download.map(title => byCommand(title, 'headroom.downloadModelConfig', ...args)),
    byCommand(l10n.t('Estimate as a similar model …'), 'headroom.estimateAs', ...args),
    byCommand(l10n.t('Describe this model …'), 'headroom.describeModel', ...args),
    ...dryRun.map(title => byCommand(title, 'headroom.profileConfig', ...args)),
  ];
  for (const action of all) action.diagnostics = shownFor(finding, diagnostics);
  return all;
}

/** Menus put actions with diagnostics first, so this one needs them to keep its place. */
function plans(
  title: string,
  { document }: Analyzed,
  { finding, run }: RunFinding,
  diagnostics: readonly Diagnostic[],
): CodeAction {
  const action = byCommand(title, 'headroom.optimize', document.uri.toString(), run?.run.name);
  action.diagnostics = shownFor(finding, diagnostics);
  return action;
}

/** All of a remedy's edits as one undo step. */
function workspaceEdit(analyzed: LocatedAnalysis, { edits }: PricedRemedy): WorkspaceEdit {
  const whole = new WorkspaceEdit();
  for (const { file, edit } of edits) {
    const { uri, range } = locationIn(analyzed, file, edit.span);
    whole.replace(uri, range, edit.text);
  }
  return whole;
}
