import {
  l10n,
  ProcessExecution,
  QuickPickItemKind,
  Task,
  tasks,
  TaskScope,
  Uri,
  window,
  workspace,
} from 'vscode';
import type { QuickPickItem } from 'vscode';
import type { RunAnalysis } from '../core/rules/analysis';
import { Refusal } from '../host/errors';
import { isTrusted, mustBeTrusted } from '../host/trust';
import { inform, pickOne } from '../host/messages';
import type { Results } from './analyst';
import { chosenRun } from './chosenRun';
import type { Core, EditorServices } from './services';

/** The rule whose fixes provide an unknown model. */
export const UNKNOWN_MODEL = 'unknown-model';

/** The Hub id of an unknown model; null also if no process may be started. */
export const downloadable = (core: Core, run: RunAnalysis): string | null =>
  isTrusted() ? core.unknownHubModel(run) : null;

/**
 * *Download config.json*: `hf download MODEL config.json` in a visible terminal. The name comes from a file, so it
 * never reaches a shell: it is one argument, and has the form of a Hub id.
 */
export async function downloadModelConfig(
  services: EditorServices,
  file: Uri | null,
  name: unknown,
): Promise<void> {
  mustBeTrusted(l10n.t('Downloads are off in Restricted Mode.'));
  const chosen = await chosenRun(services, file, name);
  if (!chosen) return;
  const id = downloadable(await services.core(), chosen.run);
  if (id === null) throw new Refusal(l10n.t('This config names no unknown model of the Hugging Face Hub.'));
  const hf = new ProcessExecution('hf', ['download', id, 'config.json']);
  const scope = workspace.getWorkspaceFolder(chosen.analysed.document.uri) ?? TaskScope.Workspace;
  const task = new Task(
    { type: 'process' },
    scope,
    l10n.t('Download config.json of {0}', id),
    'Headroom',
    hf,
  );
  const started = await tasks.executeTask(task);
  const listener = tasks.onDidEndTask(({ execution }) => {
    if (execution !== started) return;
    listener.dispose();
    services.analysis.refresh();
  });
}

/** The model of the chosen run, and the file in `.headroom/models` that describes it; null if no run was chosen. */
async function namedModel(
  services: EditorServices,
  file: Uri | null,
  name: unknown,
): Promise<{ readonly model: string; readonly place: Uri } | null> {
  const chosen = await chosenRun(services, file, name);
  if (!chosen) return null;
  const model = chosen.run.run.quantities.model.value;
  if (model === null) throw new Refusal(l10n.t('This config names no model.'));
  return { model, place: descriptionOf(chosen.analysed.document.uri, model) };
}

type SimilarModel = Results['similarModels'][number];

interface SimilarRow extends QuickPickItem {
  readonly model: SimilarModel | null;
}

/**
 * *Estimate As*: uses a known model in place of an unknown one; models of similar size are listed first. The choice
 * is written to `.headroom/models`, so that the CLI and other users of the workspace use it too.
 */
export async function estimateAs(services: EditorServices, file: Uri | null, name: unknown): Promise<void> {
  const named = await namedModel(services, file, name);
  if (!named) return;
  const { model, place } = named;
  const { likeModelText } = await services.core();
  const there = await textAt(place);
  if (there !== null && (await services.analyst('describesModel', { text: there }))) {
    await window.showTextDocument(place);
    throw new Refusal(l10n.t('{0} already describes this model.', workspace.asRelativePath(place)));
  }
  const picked = await pickOne(similarRows(services, model), {
    title: l10n.t('Estimate {0} as', model),
    placeHolder: l10n.t('A known model with about the same architecture and size'),
    matchOnDescription: true,
  });
  if (!picked?.model) return;
  await workspace.fs.writeFile(place, new TextEncoder().encode(likeModelText(model, picked.model.id)));
  services.analysis.refresh();
  const open = l10n.t('Open File');
  const said = l10n.t('{0} is estimated as {1}, for this workspace.', model, picked.model.id);
  void inform(said, open).then(answer => {
    if (answer === open) void window.showTextDocument(place);
  });
}

async function similarRows({ analyst }: EditorServices, model: string): Promise<readonly SimilarRow[]> {
  const similar = await analyst('similarModels', { model });
  const rows = (isOfSize: boolean): SimilarRow[] =>
    similar
      .filter(one => one.isOfSize === isOfSize)
      .map(one => ({
        label: one.id,
        description: l10n.t('{0} parameters · {1}', countText(one.parameters), one.kind),
        model: one,
      }));
  const [near, others] = [rows(true), rows(false)];
  const head = (label: string): SimilarRow => ({ label, kind: QuickPickItemKind.Separator, model: null });
  return near.length > 0
    ? [head(l10n.t('Similar size')), ...near, head(l10n.t('Other models')), ...others]
    : others;
}

/** `7.6B`, `135M`. */
const countText = (parameters: number): string =>
  parameters >= 1e9 ? `${(parameters / 1e9).toFixed(1)}B` : `${Math.round(parameters / 1e6)}M`;

/** The file in `.headroom/models` that describes a model. */
function descriptionOf(document: Uri, model: string): Uri {
  const folder = workspace.getWorkspaceFolder(document)?.uri ?? Uri.joinPath(document, '..');
  const leaf = model.replace(/^.*\//, '').replaceAll(/[^\w.-]/g, '-');
  return Uri.joinPath(folder, '.headroom/models', `${leaf.replace(/^\.+/, '') || 'model'}.yaml`);
}

async function textAt(place: Uri): Promise<string | null> {
  try {
    return new TextDecoder().decode(await workspace.fs.readFile(place));
  } catch {
    return null;
  }
}

/** *Describe This Model*: creates and opens a template in `.headroom/models`. */
export async function describeModel(
  services: EditorServices,
  file: Uri | null,
  name: unknown,
): Promise<void> {
  const named = await namedModel(services, file, name);
  if (!named) return;
  const { model, place } = named;
  if ((await textAt(place)) === null) {
    const { describedModelText } = await services.core();
    await workspace.fs.writeFile(place, new TextEncoder().encode(describedModelText(model)));
  }
  await window.showTextDocument(place);
}
