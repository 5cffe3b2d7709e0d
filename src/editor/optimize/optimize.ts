import { env, l10n, workspace } from 'vscode';
import type { Uri } from 'vscode';
import type { RunAnalysis } from '../../core/rules/analysis';
import { sampleRange } from '../../core/plan/batch';
import type { Advice, Goal, Plan, PlanSearch } from '../../core/plan/plan';
import { Refusal } from '../../host/errors';
import { setting } from '../../host/settings';
import { mention } from '../../host/messages';
import type { Analyzed } from '../analysisService';
import { chosenRun } from '../chosenRun';
import type { ChosenRun } from '../chosenRun';
import { applyChoice } from './carryOut';
import { pickPlan } from './pickPlan';
import { Preview } from './preview';
import type { OptimizeServices } from './planned';

/** *Optimize GPU Config*: from a run to plans, a preview, and changed files that can be restored. */
export async function optimize(services: OptimizeServices, file: Uri | null, name: unknown): Promise<void> {
  for (;;) {
    const chosen = await chosenRun(services, file, name);
    if (!chosen) return;
    const { estimate, tentative } = chosen.run;
    if (!estimate || estimate.onMachine || tentative) {
      throw new Refusal((await services.core()).whyUnknown(chosen.run));
    }
    const planned = chosen.run.target !== null && (await planRun(services, chosen)) === 'done';
    if (planned || !(await services.chooseTarget())) return;
  }
}

/** Plans for one run until one is applied or the user cancels; `target` if the user wants another GPU. */
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

/** Plans for one goal; returns another goal if the user asks for it. */
async function planFor(
  services: OptimizeServices,
  { analyzed, run }: ChosenRun,
  goal: Goal,
  preview: Preview,
): Promise<'target' | 'done' | { readonly goal: Goal }> {
  const { answer, goals, goalWords, planTitle, planRow, noneHeadline, fittingGpusText } =
    await services.core();
  const file = workspace.asRelativePath(analyzed.document.uri);
  const title = l10n.t('Optimize {0}', [file, run.run.name].join(' ').trim());
  const rowOf = (plan: Plan) => planRow(plan, analyzed.file);
  const how = setting('optimize.onChoose', analyzed.document);
  const question = {
    title,
    answer: answer(run),
    goal: goalWords(goal),
    goals,
    rowOf,
    noneHeadline,
    fittingGpusText,
    how,
  };
  const controller = new AbortController();
  try {
    const search = searchPlans(services, analyzed, run, goal, controller.signal);
    for (let stays = false; ;) {
      const picked = await pickPlan({ ...question, stays }, search);
      if (picked === null) return 'done';
      if (picked.kind === 'target') return 'target';
      if (picked.kind === 'goal') return picked;
      if (picked.kind === 'advice') {
        await copyAdvice(picked.advice);
        continue;
      }
      const plan = { ...picked.plan, title: planTitle(picked.plan, analyzed.file) };
      const { advice, plans } = await search;
      const steps = plan.step ? plans : [];
      const next = await applyChoice(services, { analyzed, run, plan, preview, advice, steps }, picked.how);
      if (next === 'done') return 'done';
      stays = next === 'page';
    }
  } finally {
    controller.abort();
  }
}

function searchPlans(
  { analyst }: OptimizeServices,
  { document, file, text, options }: Analyzed,
  run: RunAnalysis,
  goal: Goal,
  signal: AbortSignal,
): Promise<PlanSearch> {
  const plan = {
    goal,
    margin: setting('optimize.margin', document),
    mayTrade: setting('optimize.allowTradeOffs', document),
  };
  const wanted = sampleRange(setting('optimize.effectiveBatch', document));
  return analyst('plan', { file, text, options, run: run.run.name, plan, wanted }, signal);
}

async function copyAdvice({ text, why }: Advice): Promise<void> {
  await env.clipboard.writeText(text);
  mention(l10n.t('Copied {0} ({1})', text, why), null, 5000);
}
