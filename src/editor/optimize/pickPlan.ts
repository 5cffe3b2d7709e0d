import { l10n, QuickPickItemKind, ThemeIcon, window } from 'vscode';
import type { QuickInputButton, QuickPickItem } from 'vscode';
import type { SpokenGoal } from '../../core/plan/goals';
import type { Advice, Goal, Plan, PlanSearch, FittingGpu } from '../../core/plan/plan';
import { rows } from '../../host/quickPick';

/** What happens to the chosen plan. */
export type How =
  /** Apply it. */
  | 'apply'
  /** Choose its changes one by one in VS Code's refactor preview. */
  | 'preview'
  /** Show it as a diff and ask whether to apply it. */
  | 'diff'
  /** Show a page with the run before and after it. */
  | 'page';

interface PlanItem extends QuickPickItem {
  readonly choice?: Picked;
}

interface PlanButton extends QuickInputButton {
  readonly how: How;
}

/** Buttons of a plan's row: for actions other than Enter's. */
const PLAN_BUTTONS: readonly PlanButton[] = [
  { how: 'apply', iconPath: new ThemeIcon('check'), tooltip: l10n.t('Apply') },
  { how: 'preview', iconPath: new ThemeIcon('checklist'), tooltip: l10n.t('Choose change by change') },
  { how: 'diff', iconPath: new ThemeIcon('diff'), tooltip: l10n.t('Show as a diff') },
  { how: 'page', iconPath: new ThemeIcon('graph'), tooltip: l10n.t('Before and after') },
];

type Picked =
  | { readonly kind: 'plan'; readonly plan: Plan; readonly how: How }
  | { readonly kind: 'goal'; readonly goal: Goal }
  | { readonly kind: 'advice'; readonly advice: Advice }
  | { readonly kind: 'target' }
  | null;

const otherTarget = {
  iconPath: new ThemeIcon('server-environment'),
  tooltip: l10n.t('Choose another GPU'),
};

/** What the list of plans asks. */
interface Question {
  readonly title: string;
  readonly answer: string;
  readonly goal: SpokenGoal;
  /** Other goals to offer. */
  readonly goals: readonly SpokenGoal[];
  /** What Enter does with a plan. */
  readonly how: How;
  /** Keeps the list open when it loses focus. */
  readonly stays: boolean;
  /** The GPUs that would fit a run that no plan makes fit. */
  readonly fittingGpusText: (fittingGpus: readonly FittingGpu[]) => string | null;
  /** How a plan is shown in the list. */
  readonly rowOf: (plan: Plan) => Pick<QuickPickItem, 'label' | 'description' | 'detail'>;
  /** Why there is no plan. */
  readonly noneHeadline: (search: PlanSearch, goal: Goal) => string;
}

/**
 * Shows the plans, best first, as soon as they are found. Null if the user cancels; `target` if the user wants
 * plans for another GPU, `goal` for another goal, `advice` for the text of the advice.
 */
export function pickPlan(question: Question, search: Promise<PlanSearch>): Promise<Picked> {
  const { title, answer } = question;
  const pick = window.createQuickPick<PlanItem>();
  const ignoreFocusOut = question.stays;
  Object.assign(pick, {
    title,
    busy: true,
    matchOnDescription: true,
    matchOnDetail: true,
    buttons: [otherTarget],
    ignoreFocusOut,
  });
  pick.placeholder = l10n.t('Searching for plans …');
  const late = setTimeout(() => {
    pick.placeholder = l10n.t('Still searching for plans … Press Esc to cancel.');
  }, PATIENCE_MS);
  return new Promise<Picked>((resolve, reject) => {
    pick.onDidAccept(() => {
      const choice = pick.selectedItems[0]?.choice;
      if (choice) resolve(choice);
    });
    pick.onDidTriggerItemButton(({ item: { choice }, button }) => {
      if (choice?.kind === 'plan') resolve({ ...choice, how: (button as PlanButton).how });
    });
    pick.onDidTriggerButton(() => resolve({ kind: 'target' }));
    pick.onDidHide(() => resolve(null));
    pick.show();
    search.then(found => {
      clearTimeout(late);
      pick.busy = false;
      pick.placeholder = l10n.t('{0}. {1}', answer, WHAT_ENTER_DOES[question.how]);
      pick.items = rows(items(found, question));
    }, reject);
  }).finally(() => {
    clearTimeout(late);
    pick.dispose();
  });
}

const WHAT_ENTER_DOES: Readonly<Record<How, string>> = {
  apply: l10n.t('Enter applies a plan. The buttons preview it.'),
  preview: l10n.t('Choose a plan to see its changes one by one.'),
  diff: l10n.t('Choose a plan to see it as a diff.'),
  page: l10n.t('Choose a plan to see the run before and after it.'),
};

/** After this long, the user wonders whether anything is happening. */
const PATIENCE_MS = 1000;

const NONE = new ThemeIcon('circle-slash');
const COPY = new ThemeIcon('copy');
const GOAL = new ThemeIcon('target');
const NOT_USED = new ThemeIcon('dash');

function items(search: PlanSearch, question: Question): PlanItem[] {
  const { plans, rejected, reached, advice, fittingGpus } = search;
  const { goal, goals, rowOf, noneHeadline, fittingGpusText, how } = question;
  const buttons = PLAN_BUTTONS.filter(button => button.how !== how);
  const found = plans.map(plan => ({
    ...rowOf(plan),
    buttons,
    choice: { kind: 'plan', plan, how } as const,
  }));
  const elsewhere = fittingGpus && fittingGpusText(fittingGpus);
  const why = {
    label: reached ? l10n.t('It already fits') : noneHeadline(search, goal.goal),
    iconPath: NONE,
    alwaysShow: true,
    ...(elsewhere && { detail: elsewhere, choice: { kind: 'target' } as const }),
  };
  const none = found.length > 0 ? [] : [why];
  const others = goals
    .filter(other => other.goal !== goal.goal)
    .map(({ goal: id, label, detail }) => ({
      label,
      description: detail,
      iconPath: GOAL,
      choice: { kind: 'goal', goal: id } as const,
    }));
  const adviceItems = advice.map(one => ({
    label: firstLine(one.text),
    detail: one.why,
    iconPath: COPY,
    choice: { kind: 'advice', advice: one } as const,
  }));
  const unused = rejected.map(({ remedy, why }) => ({ label: remedy, description: why, iconPath: NOT_USED }));
  return [
    ...found,
    ...none,
    ...underHeading(l10n.t('Copy to clipboard'), adviceItems),
    ...underHeading(l10n.t('Other goals'), others),
    ...underHeading(l10n.t('Not used'), unused),
  ];
}

const underHeading = (label: string, rows: readonly PlanItem[]): readonly PlanItem[] =>
  rows.length === 0 ? [] : [{ label, kind: QuickPickItemKind.Separator }, ...rows];

/** A row shows one line; copying takes all lines. */
function firstLine(text: string): string {
  const [first = '', ...more] = text.split('\n');
  return more.length === 0 ? first : `${first} …`;
}
