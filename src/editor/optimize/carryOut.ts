import { commands, l10n } from 'vscode';
import type { Plan } from '../../core/plan/plan';
import { setting } from '../../host/settings';
import { inform } from '../../host/messages';
import { applyPlan } from './apply';
import { applyChosen } from './applyChosen';
import { confirmPlan, isUnsaved } from './confirm';
import { fileChanges } from './fileChanges';
import type { FileChange } from './fileChanges';
import type { OptimizeServices } from './planned';
import { outcomeAfter, partsOf } from './parts';
import type { How } from './pickPlan';
import type { PlanOnPage } from './planned';
import type { PlannedRun } from './planned';

/** What comes next: nothing, the plans again, or the plans next to a page. */
type Next = 'done' | 'back' | 'page';

/** Carries out the user's choice for a plan, and asks if files have unsaved changes. */
export async function applyChoice(services: OptimizeServices, planned: PlanOnPage, how: How): Promise<Next> {
  const { analyzed, plan } = planned;
  const changes = fileChanges(analyzed, plan.edits);
  const backup = setting('optimize.backup', analyzed.document);
  if (how === 'apply' && !changes.some(({ uri }) => isUnsaved(uri))) {
    await apply(services, plan, changes, { saveUnsaved: false, backup });
    return 'done';
  }
  if (how === 'preview') return choose(services, planned, changes, backup);
  if (how === 'page') {
    await services.planPages.show(planned);
    return 'page';
  }
  return decide(services, planned, changes, backup);
}

/** Shows what the plan would change and applies it if the user agrees. */
async function decide(
  services: OptimizeServices,
  planned: PlanOnPage,
  changes: readonly FileChange[],
  backup: boolean,
): Promise<Next> {
  const { plan, preview } = planned;
  await preview.show(changes);
  for (;;) {
    const decision = await confirmPlan(plan, changes, backup);
    if (decision === 'page') {
      await services.planPages.show(planned);
      continue;
    }
    await preview.close();
    if (decision === 'back') return 'back';
    if (decision === 'preview') return choose(services, planned, changes, backup);
    if (decision !== null) {
      await apply(services, plan, changes, { saveUnsaved: decision === 'save and apply', backup });
    }
    return 'done';
  }
}

interface Applying {
  readonly saveUnsaved: boolean;
  readonly backup: boolean;
}

async function apply(
  { history, log }: OptimizeServices,
  plan: Plan,
  changes: readonly FileChange[],
  options: Applying,
): Promise<void> {
  await applyPlan(plan.title, changes, options, history);
  log.info(`Applied ${plan.title} to ${changes.map(({ uri }) => uri.toString()).join(', ')}`);
  announce(l10n.t('Applied {0}.', plan.title));
}

/** Change by change, in VS Code's refactor preview. */
async function choose(
  services: OptimizeServices,
  planned: PlannedRun,
  changes: readonly FileChange[],
  backup: boolean,
): Promise<Next> {
  const { analyzed, run, plan } = planned;
  const { formerValues, partLabel } = await services.core();
  const textOf = await partsOf(services, planned);
  const gpu = run.target?.name ?? plan.after.name;
  const note = formerValues(plan.edits, gpu, analyzed.file);
  const choice = { title: plan.title, changes, textOf, note };
  const chosen = await applyChosen(choice, { backup, saveUnsaved: false }, services.history);
  if (!chosen) return 'back';
  const { left } = chosen;
  if (left?.length === 0) {
    announce(l10n.t('Applied {0}.', plan.title));
    return 'done';
  }
  const after = await outcomeAfter(services, planned);
  const done =
    left === null
      ? l10n.t('Applied the selected changes.')
      : l10n.t(
          'Applied {0} of {1} changes, without {2}.',
          plan.edits.length - left.length,
          plan.edits.length,
          left.map(key => partLabel(key, analyzed.file)).join(', '),
        );
  announce(`${done} ${after}`);
  return 'done';
}

function announce(message: string): void {
  const undo = l10n.t('Undo');
  void inform(message, undo).then(chosen => {
    if (chosen === undo) void commands.executeCommand('headroom.undoOptimization');
  });
}
