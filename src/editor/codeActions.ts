import { CodeAction, CodeActionKind, l10n, languages, WorkspaceEdit } from 'vscode';
import type { CodeActionContext, CodeActionProvider, Diagnostic, Range } from 'vscode';
import type { PricedRemedy } from '../core/rules/remedy';
import type { Disposable } from '../host/disposables';
import type { Core } from './core';
import type { Analysed } from './analysisService';
import { SOURCE } from './asDiagnostic';
import { FAILURE_RULE } from './failures';
import { findingsOf } from './findings';
import type { RunFinding } from './findings';
import { genericReading } from './makeDialect';
import { locationIn } from './places';
import type { LocatedAnalysis } from './places';
import { configSelector } from './selector';
import type { EditorServices } from './services';

const KINDS = [CodeActionKind.QuickFix, CodeActionKind.RefactorRewrite];

/** Remedies at the findings they mend: free ones as quick fixes, those that trade something as rewrites. */
export function registerCodeActions({ analysis, core }: EditorServices): Disposable {
  const provider: CodeActionProvider = {
    async provideCodeActions(document, range, context, token) {
      const analysed = await analysis.at(document, token);
      return analysed && actions(await core(), analysed, range, context);
    },
  };
  return languages.registerCodeActionsProvider([...configSelector], provider, {
    providedCodeActionKinds: KINDS,
  });
}

function actions(core: Core, analysed: Analysed, range: Range, context: CodeActionContext): CodeAction[] {
  const here = findingsOf(analysed).filter(
    ({ finding: { file, span } }) =>
      file === analysed.file && locationIn(analysed, file, span).range.intersection(range) !== undefined,
  );
  const offered = here.flatMap(one => remedyActions(core, analysed, one, context.diagnostics));
  const preferred = offered.find(action => action.kind?.value === CodeActionKind.QuickFix.value);
  if (preferred) preferred.isPreferred = true;
  const planned = here.find(({ finding, run }) => run && finding.remedies.length > 0);
  if (planned?.run) offered.push(comparePlans(analysed, planned.run.run.name));
  const failed = here.find(({ finding }) => finding.rule === FAILURE_RULE);
  if (failed?.run) offered.push(dismissal(analysed, failed.run.run.name));
  if (genericReading(analysed)) offered.push(ownDialect(analysed));
  return offered.filter(action => !context.only || (action.kind && context.only.contains(action.kind)));
}

function remedyActions(
  core: Core,
  analysed: Analysed,
  { finding }: RunFinding,
  diagnostics: readonly Diagnostic[],
): CodeAction[] {
  const mended = diagnostics.filter(
    ({ source, message }) => source === SOURCE && message === finding.message,
  );
  return finding.remedies.map(remedy => {
    const kind = remedy.price.quality === null ? CodeActionKind.QuickFix : CodeActionKind.RefactorRewrite;
    const action = new CodeAction(core.fixTitle(remedy, analysed.file), kind);
    action.edit = workspaceEdit(analysed, remedy);
    if (kind === CodeActionKind.QuickFix) action.diagnostics = mended;
    return action;
  });
}

/** A job's failure stands until the config changes, or somebody has seen enough of it. */
function dismissal({ document }: Analysed, run: string): CodeAction {
  const title = l10n.t('Dismiss the error of the last job');
  const action = new CodeAction(title, CodeActionKind.QuickFix);
  action.command = { title, command: 'headroom.dismissFailure', arguments: [document.uri.toString(), run] };
  return action;
}

function ownDialect({ document }: Analysed): CodeAction {
  const title = l10n.t('Teach Headroom this config format …');
  const action = new CodeAction(title, CodeActionKind.RefactorRewrite);
  action.command = { title, command: 'headroom.makeDialect', arguments: [document.uri.toString()] };
  return action;
}

function comparePlans({ document }: Analysed, run: string): CodeAction {
  const title = l10n.t('Compare all plans for this run …');
  const action = new CodeAction(title, CodeActionKind.QuickFix);
  action.command = { title, command: 'headroom.optimize', arguments: [document.uri.toString(), run] };
  return action;
}

/** All of a remedy's edits as one step of undo. */
export function workspaceEdit(analysed: LocatedAnalysis, { edits }: PricedRemedy): WorkspaceEdit {
  const whole = new WorkspaceEdit();
  for (const { file, edit } of edits) {
    const { uri, range } = locationIn(analysed, file, edit.span);
    whole.replace(uri, range, edit.text);
  }
  return whole;
}
