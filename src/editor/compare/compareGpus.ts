import { commands, l10n, workspace } from 'vscode';
import type { Uri } from 'vscode';
import type { ComparedPlace } from '../../core/plan/places/fit';
import type { SuitablePlaces } from '../../core/plan/places/suitable';
import type { Place } from '../../core/compare/place';
import { basename } from '../../core/text/paths';
import { Refusal } from '../../host/errors';
import { setting } from '../../host/settings';
import type { VirtualDocuments } from '../../host/virtualDocuments';
import { chosenRun } from '../chosenRun';
import type { ChosenRun } from '../chosenRun';
import type { ChooseServices } from '../chooseTarget';
import { keepTarget } from '../keepTarget';
import { AUTOMATIC } from '../targets';
import { PlaceList } from './placeList';

interface CompareServices extends ChooseServices {
  readonly pages: VirtualDocuments;
}

/**
 * *Compare GPUs for This Config*: how a run fares on the GPUs of this machine, of hosts and of the catalog. The
 * user can choose one as the target or plan for it.
 */
export async function compareGpus(services: CompareServices, file: Uri | null, name: unknown): Promise<void> {
  const chosen = await chosenRun(services, file, name);
  if (!chosen) return;
  const { run } = chosen;
  const core = await services.core();
  const cannot = run.tentative ?? run.estimate?.onMachine ?? (run.target && !run.estimate);
  if (cannot) throw new Refusal(core.whyUnknown(run));
  const rows: ComparedPlace[] = [];
  const controller = new AbortController();
  const list = new PlaceList(titleOf(chosen), core.placeGroups, row =>
    core.placeTexts(row, chosen.analyzed.file),
  );
  const show = (more: readonly ComparedPlace[]): void => {
    const fresh = new Set(more.map(({ place }) => place.id));
    rows.splice(0, rows.length, ...rows.filter(({ place }) => !fresh.has(place.id)), ...more);
    list.show([...rows], core.hereText(rows) ?? core.countsText(rows), types.left);
  };
  const types = await suitableTypes(services, chosen);
  try {
    const compared = compareAll(services, chosen, types.places, show, controller.signal);
    const picked = await Promise.race([list.picked(), compared.then(() => list.picked())]);
    if (picked?.kind === 'page') await showPage(services, chosen, picked.rows, types.left);
    if (picked?.kind !== 'target' && picked?.kind !== 'optimize') return;
    if (!(await keepTarget(services.memory, await settingFor(services, picked.row.place)))) return;
    const args = [chosen.analyzed.document.uri.toString(), run.run.name];
    if (picked.kind === 'optimize') await commands.executeCommand('headroom.optimize', ...args);
  } finally {
    controller.abort();
    list.dispose();
  }
}

const titleOf = ({ analyzed, run }: ChosenRun): string =>
  l10n.t('Compare GPUs for {0}', `${workspace.asRelativePath(analyzed.document.uri)} ${run.run.name}`.trim());

/** The types of the catalog that the run can use, and why others are left out. */
async function suitableTypes(
  { core, targets }: CompareServices,
  { run }: ChosenRun,
): Promise<SuitablePlaces> {
  const [{ catalogPlaces, suitablePlaces }, catalog] = await Promise.all([
    core(),
    targets.hardware.catalog(),
  ]);
  return suitablePlaces(catalogPlaces(catalog, null), run.run);
}

/** First the known GPUs and the catalog, then the hosts that must be queried. */
async function compareAll(
  services: CompareServices,
  chosen: ChosenRun,
  types: readonly Place[],
  show: (rows: readonly ComparedPlace[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const { core, targets } = services;
  const [{ whyUnknown }, now] = await Promise.all([core(), targets.hardware.places(false)]);
  const allPlaces = targets.hardware.places(true);
  const first = await compare(services, chosen, [...now, ...types], signal);
  if (signal.aborted) return;
  if (first.every(({ answer }) => answer === 'unknown')) throw new Refusal(whyUnknown(chosen.run));
  show(first);
  const known = new Set(now.map(wordsOf));
  const late = (await allPlaces).filter(place => !known.has(wordsOf(place)));
  if (late.length > 0) show(await compare(services, chosen, late, signal));
}

const wordsOf = (place: Place): string => JSON.stringify(place);

async function compare(
  { core, analyst }: CompareServices,
  { analyzed, run }: ChosenRun,
  places: readonly Place[],
  signal: AbortSignal,
): Promise<readonly ComparedPlace[]> {
  const { document, file, text, options } = analyzed;
  const { withCount } = await core();
  const count = setting('target.gpuCount', document);
  const margin = setting('optimize.margin', document);
  const mayTrade = setting('optimize.allowTradeOffs', document);
  const request = {
    file,
    text,
    options,
    run: run.run.name,
    places: places.map(place => withCount(place, count)),
    compare: { margin, mayTrade, details: true },
  };
  return analyst('compare', request, signal).catch((error: unknown) => {
    if (signal.aborted) return [];
    throw error;
  });
}

/** Without a setting, the freest GPU of this machine is the target. */
async function settingFor({ core, targets }: CompareServices, place: Place): Promise<string> {
  const { hardware } = targets;
  const [{ choiceText }, catalog, present] = await Promise.all([
    core(),
    hardware.catalog(),
    hardware.present(),
  ]);
  const isFreest =
    place.kind === 'local' && place.target.name === present[0]?.name && place.id.endsWith('/0');
  return isFreest ? AUTOMATIC : choiceText(place, catalog);
}

async function showPage(
  { core, pages }: CompareServices,
  { analyzed }: ChosenRun,
  rows: readonly ComparedPlace[],
  left: string | null,
): Promise<void> {
  const { comparePage } = await core();
  const name = basename(analyzed.file);
  const page = comparePage(rows, { title: l10n.t('Where {0} fits', name), file: analyzed.file, left });
  const at = `${analyzed.file.replace(/^\/+/, '')}/${l10n.t('{0} compared', name)}.md`;
  await commands.executeCommand('markdown.showPreview', pages.page(at, page));
}
