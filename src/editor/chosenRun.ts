import { l10n, window, workspace } from 'vscode';
import type { Uri } from 'vscode';
import type { RunAnalysis } from '../core/rules/analysis';
import { Refusal } from '../host/errors';
import { activePage, offsetOn, openPage, pageOf, showPage } from '../host/pages';
import type { Page } from '../host/pages';
import type { Analyzed } from './analysisService';
import { pickConfig } from './pickConfig';
import { neediest } from './findings';
import { isCandidate } from './selector';
import type { EditorServices } from './services';

/** The run that a command is about. */
export interface ChosenRun {
  readonly analyzed: Analyzed;
  readonly run: RunAnalysis;
}

/** A command about a run, called with the file and the name of the run, which is not trusted. */
export type RunCommand<Services = EditorServices, More extends readonly unknown[] = []> = (
  services: Services,
  file: Uri | null,
  name: unknown,
  ...more: More
) => Promise<void>;

/**
 * The run a command was called for: from the given file, else the active editor, else a file picked from the
 * workspace; by name, else at the cursor. Null if the user cancels.
 */
export async function chosenRun(
  services: EditorServices,
  file: Uri | null,
  name: unknown,
): Promise<ChosenRun | null> {
  const document = file ? await openPage(file) : await chosenDocument(services);
  if (!document) return null;
  const analyzed = isCandidate(document) ? await services.analysis.settled(document) : null;
  const shown = workspace.asRelativePath(document.uri);
  const unparsed = analyzed?.analysis.dialect === null ? analyzed.analysis.findings[0] : undefined;
  if (unparsed) throw new Refusal(l10n.t('{0}: {1}', shown, unparsed.message));
  if (!analyzed?.analysis.dialect) throw new Refusal(unknownFormat(shown));
  const run = namedRun(analyzed, name) ?? runAtCursor(analyzed);
  if (!run) {
    throw new Refusal(l10n.t('{0} is part of a run. Open the config that references it.', shown));
  }
  return { analyzed, run };
}

/** Why a file has no run, and what to do. */
export const unknownFormat = (shown: string): string =>
  l10n.t(
    "{0} isn't a config format that Headroom knows. Describe its keys in .headroom/dialects/NAME.yaml, or measure the run with headroom profile.",
    shown,
  );

async function chosenDocument(services: EditorServices): Promise<Page | null> {
  const active = activePage();
  const settled = active && isCandidate(active) ? await services.analysis.settled(active) : null;
  // A file of an unknown format is analyzed only for the errors of dialects near it.
  const { dialect = null, findings = [] } = settled?.analysis ?? {};
  if (active && (dialect !== null || findings.length > 0)) return active;
  const picked = await pickConfig(services);
  return picked && showPage(picked);
}

const runsOf = ({ analysis }: Analyzed): readonly RunAnalysis[] =>
  analysis.runs.filter(({ judged }) => judged);

function namedRun(analyzed: Analyzed, name: unknown): RunAnalysis | null {
  return runsOf(analyzed).find(({ run }) => run.name === name) ?? null;
}

/**
 * Of the runs that start last before the cursor, the one that needs most memory: stages of one config start
 * together.
 */
function runAtCursor(analyzed: Analyzed): RunAnalysis | null {
  const { document, analysis, anchors } = analyzed;
  const editors = [window.activeTextEditor, ...window.visibleTextEditors];
  const editor = editors.find(one => one && pageOf(one.document) === document);
  const cursor = editor ? offsetOn(document, editor.document, editor.selection.active) : 0;
  const here = analysis.runs.flatMap((run, i) => {
    const start = anchors[i]?.start;
    return run.judged && start !== undefined ? [{ run, start }] : [];
  });
  const starts = here.map(({ start }) => start);
  const before = starts.filter(start => start <= cursor);
  const start = before.length > 0 ? Math.max(...before) : Math.min(...starts);
  const nearest = here.filter(one => one.start === start).map(({ run }) => run);
  return neediest(nearest.length > 0 ? nearest : runsOf(analyzed));
}
