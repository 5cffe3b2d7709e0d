import type { Advice, Plan } from '../../core/plan/plan';
import type { RunAnalysis } from '../../core/rules/analysis';
import type { VirtualDocuments } from '../../host/virtualDocuments';
import type { Analyzed } from '../analysisService';
import type { EditorServices } from '../services';
import type { Preview } from './preview';
import type { UndoHistory } from './undo';

/** A plan and its run. */
export interface PlannedRun {
  readonly analyzed: Analyzed;
  readonly run: RunAnalysis;
  readonly plan: Plan;
  readonly preview: Preview;
}

/** A plan and the texts shown with it. */
export interface PlanOnPage extends PlannedRun {
  readonly advice: readonly Advice[];
  /** All steps if the plan is one of several. */
  readonly steps: readonly Plan[];
}

/** What *Optimize GPU Config* uses. */
export interface OptimizeServices extends EditorServices {
  readonly history: UndoHistory;
  readonly previews: VirtualDocuments;
  /** Pages of plans next to the config. */
  readonly planPages: { show(planned: PlanOnPage): Promise<void> };
  /** Asks for a GPU and stores it; false if the user cancels. */
  readonly chooseTarget: () => Promise<boolean>;
}
