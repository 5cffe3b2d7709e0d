import { commands, env, l10n, window, workspace } from 'vscode';
import type { Uri } from 'vscode';
import type { RunAnalysis } from '../../core/analysis';
import type { Advice, Goal, Plan, PlanSearch } from '../../core/plan/plan';
import { Refusal } from '../../host/errors';
import { setting } from '../../host/settings';
import type { VirtualDocuments } from '../../host/virtualDocuments';
import type { Analysed } from '../analysisService';
import type { Analyst } from '../analyst';
import { chosenRun } from '../chosenRun';
import type { ChosenRun } from '../chosenRun';
import type { EditorServices } from '../services';
import { applyPlan } from './apply';
import { confirmPlan } from './confirm';
import { fileChanges } from './fileChanges';
import type { FileChange } from './fileChanges';
import { pickPlan } from './pickPlan';
import { Preview } from './preview';
import type { UndoHistory } from './undo';

export interface OptimizeServices extends EditorServices {
  readonly analyst: Analyst;
  readonly history: UndoHistory;
  readonly previews: VirtualDocuments;
  /** Asks for a GPU and remembers it; false when the user leaves. */
  readonly chooseTarget: () => Promise<boolean>;
}

/** *Optimize GPU Config*: from a run to plans, a preview, and files that are changed and can be changed back. */
export async function optimize(services: OptimizeServices, file: Uri | null, name: unknown): Promise<void> {
  for (;;) {
    const chosen = await chosenRun(services, file, name);
    if (!chosen) return;
    if (!chosen.run.estimate || chosen.run.tentative) {
      throw new Refusal((await services.core()).whyUnknown(chosen.run));
    }
    const planned = chosen.run.target !== null && (await planRun(services, chosen)) === 'done';
    if (planned || !(await services.chooseTarget())) return;
  }
}

/** Plans for one run until one is applied or the user leaves; `target` when he wants another GPU. */
async function planRun(services: OptimizeServices, chosen: ChosenRun): Promise<'target' | 'done'> {
  const preview = new Preview(services.previews);
  let goal: Goal = chosen.run.verdict === 'fits' ? 'fill' : 'fit';
  try {
    for (;;) {
      const outcome = await planFor(services, chosen, goal, preview);
      if (outcome === 'target' || outcome === 'done') return outcome;
      goal = outcome.goal;
    }
  } finally {
    await preview.close();
  }
}

/** The same for one goal; another goal when he wants that. */
async function planFor(
  services: OptimizeServices,
  { analysed, run }: ChosenRun,
  goal: Goal,
  preview: Preview,
): Promise<'target' | 'done' | { readonly goal: Goal }> {
  const { answer, goals, goalWords, planTitle, planLabel, planDetail } = await services.core();
  const file = workspace.asRelativePath(analysed.document.uri);
  const title = l10n.t('Optimize {0}', [file, run.run.name].join(' ').trim());
  const rowOf = (plan: Plan) => ({ label: planLabel(plan, analysed.file), detail: planDetail(plan) });
  const question = { title, answer: answer(run), goal: goalWords(goal), goals, rowOf };
  const controller = new AbortController();
  try {
    const search = searchPlans(services, analysed, run, goal, controller.signal);
    for (;;) {
      const picked = await pickPlan(question, search);
      if (picked === null) return 'done';
      if (picked.kind === 'target') return 'target';
      if (picked.kind === 'goal') return picked;
      if (picked.kind === 'advice') {
        await copyAdvice(picked.advice);
        continue;
      }
      const plan = { ...picked.plan, title: planTitle(picked.plan, analysed.file) };
      if (await decide(services, analysed, plan, preview)) return 'done';
    }
  } finally {
    controller.abort();
  }
}

function searchPlans(
  { analyst }: OptimizeServices,
  { document, file, text, options }: Analysed,
  run: RunAnalysis,
  goal: Goal,
  signal: AbortSignal,
): Promise<PlanSearch> {
  const plan = {
    goal,
    margin: setting('optimize.margin', document),
    effectiveBatch: null,
    mayTrade: setting('optimize.allowTradeOffs', document),
  };
  return analyst.plan({ file, text, options, run: run.run.name, plan }, signal);
}

/** Shows what the plan would change and does it when told to. False: back to the plans. */
async function decide(
  services: OptimizeServices,
  analysed: Analysed,
  plan: Plan,
  preview: Preview,
): Promise<boolean> {
  const changes = fileChanges(analysed, plan.edits);
  await preview.show(changes);
  const backup = setting('optimize.backup', analysed.document);
  const decision = await confirmPlan(plan, changes, backup);
  await preview.close();
  if (decision === 'back') return false;
  if (decision !== null) await apply(services, plan, changes, decision === 'save and apply', backup);
  return true;
}

async function apply(
  { history, log }: OptimizeServices,
  plan: Plan,
  changes: readonly FileChange[],
  saveUnsaved: boolean,
  backup: boolean,
): Promise<void> {
  await applyPlan(plan.title, changes, { backup, saveUnsaved }, history);
  log.info(`Applied ${plan.title} to ${changes.map(({ uri }) => uri.toString()).join(', ')}`);
  announce(plan);
}

async function copyAdvice({ text, why }: Advice): Promise<void> {
  await env.clipboard.writeText(text);
  window.setStatusBarMessage(l10n.t('Copied {0} ({1})', text, why), 5000);
}

function announce(plan: Plan): void {
  const undo = l10n.t('Undo');
  void window.showInformationMessage(l10n.t('Applied {0}.', plan.title), undo).then(chosen => {
    if (chosen === undo) void commands.executeCommand('headroom.undoOptimization');
  });
}
