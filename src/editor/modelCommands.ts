import { l10n, QuickPickItemKind, Uri, window, workspace } from 'vscode';
import type { QuickPickItem } from 'vscode';
import { Refusal } from '../host/errors';
import { setting } from '../host/settings';
import { mustBeTrusted } from '../host/trust';
import { cancelable, inform, pickOne } from '../host/messages';
import type { Results } from './analyst';
import { chosenRun } from './chosenRun';
import type { RunCommand } from './chosenRun';
import type { EditorServices } from './services';
import { downloadable } from './unknownModel';

/**
 * *Download config.json*: a few files of the Hub that tell the model's architecture, and no weights. The click is the user's
 * word for it.
 */
export const downloadModelConfig: RunCommand = async (services, file, name) => {
  mustBeTrusted(l10n.t('Downloads are off in Restricted Mode.'));
  if (setting('models.download') === 'never') {
    throw new Refusal(l10n.t('Downloads are off: headroom.models.download is never.'));
  }
  const chosen = await chosenRun(services, file, name);
  if (!chosen) return;
  const id = downloadable(await services.core(), chosen.run);
  if (id === null) throw new Refusal(l10n.t('Headroom knows every model that this config names.'));
  const title = l10n.t('Downloading config.json of {0}', id);
  await cancelable(title, async (_, signal) => {
    const downloaded = await services.downloadModel(id, signal);
    if (downloaded.ok) services.analysis.refresh();
    else throw new Refusal(l10n.t("Couldn't download config.json: {0}.", downloaded.why));
  });
};

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
  return { model, place: descriptionOf(chosen.analyzed.document.uri, model) };
}

type SimilarModel = Results['similarModels'][number];

interface SimilarRow extends QuickPickItem {
  readonly model: SimilarModel | null;
}

/**
 * *Estimate As*: uses a known model in place of an unknown one; models of similar size are listed first. The choice
 * is written to `.headroom/models`, so that the CLI and other users of the workspace use it too.
 */
export const estimateAs: RunCommand = async (services, file, name) => {
  const named = await namedModel(services, file, name);
  if (!named) return;
  const { model, place } = named;
  const { likeModelText } = await services.core();
  const configText = await textAt(place);
  if (configText !== null && (await services.analyst('describesModel', { text: configText }))) {
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
  const message = l10n.t('{0} is estimated as {1}, for this workspace.', model, picked.model.id);
  void inform(message, open).then(answer => {
    if (answer === open) void window.showTextDocument(place);
  });
};

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
export const describeModel: RunCommand = async (services, file, name) => {
  const named = await namedModel(services, file, name);
  if (!named) return;
  const { model, place } = named;
  if ((await textAt(place)) === null) {
    const { describedModelText } = await services.core();
    await workspace.fs.writeFile(place, new TextEncoder().encode(describedModelText(model)));
  }
  await window.showTextDocument(place);
};
