import type { Uri } from 'vscode';
import type { DisposableStore } from '../../host/disposables';
import type { JsonFile } from '../../host/jsonFile';
import type { VirtualDocuments } from '../../host/virtualDocuments';
import { showActions } from '../actionsMenu';
import { chooseTarget } from '../chooseTarget';
import { chooseCopiedGpu } from '../copiedGpu';
import { compareGpus } from '../compare/compareGpus';
import type { Analyst } from '../analyst';
import type { ChooseServices } from '../chooseTarget';
import { optimize } from './optimize';
import { PlanPages } from './planPage';
import { UndoHistory, undoLast } from './undo';

/** Dependencies of the commands about plans and GPUs. */
interface PlanServices extends ChooseServices {
  readonly analyst: Analyst;
  readonly applied: JsonFile;
  readonly previews: VirtualDocuments;
  readonly plans: VirtualDocuments;
  readonly comparisons: VirtualDocuments;
}

/**
 * A separate chunk for *Optimize*, its undo, *Compare GPUs*, *Choose Target GPU* and the status bar's menu, loaded
 * on the first use of any of them.
 */
export function openPlans(services: PlanServices, store: DisposableStore) {
  const { previews, plans, comparisons } = services;
  const choose = () => chooseTarget(services);
  const history = new UndoHistory(services.applied);
  const planPages = store.add(new PlanPages({ ...services, pages: plans }));
  return {
    optimize: (file: Uri | null, run: unknown) =>
      optimize({ ...services, history, previews, planPages, chooseTarget: choose }, file, run),
    chooseTarget: choose,
    chooseCopiedGpu: () => chooseCopiedGpu(services),
    showActions: (file: Uri | null, run: unknown) => showActions(services, file, run),
    undo: () => undoLast(history),
    compare: (file: Uri | null, run: unknown) => compareGpus({ ...services, pages: comparisons }, file, run),
  };
}
