import { l10n } from 'vscode';
import type { Command } from 'vscode';
import type { RunAnalysis } from '../../core/rules/analysis';
import { isTrusted } from '../../host/trust';
import type { Analyzed } from '../analysisService';

/** Runs that do not train, or that generate their own rows with extra models: a dry run cannot follow them. */
const OTHERS: ReadonlySet<string> = new Set([
  'infer',
  'embed',
  'load',
  'grpo',
  'ppo',
  'rloo',
  'online_dpo',
  'xpo',
  'nash_md',
]);

/** Whether the run is a training on one GPU, whose code can run without data, in a trusted folder. */
export function canDryRun({ run, tentative }: RunAnalysis): boolean {
  const { task, gpus } = run.quantities;
  return isTrusted() && !tentative && !OTHERS.has(task.value ?? 'infer') && (gpus.value ?? 1) <= 1;
}

/** True if the model or the keys are unknown, so that only the user's own program can tell; in a trusted folder. */
function isOwnProgram({ run, model, tentative, estimate }: RunAnalysis): boolean {
  const { task } = run.quantities;
  const isUnknown = tentative !== undefined || (model === null && estimate === null);
  return isTrusted() && isUnknown && !OTHERS.has(task.value ?? 'train');
}

/** If the model is known, a dry run needs no input from the user; otherwise it shows the program's command first. */
export function profileOffer({ document }: Analyzed, analysis: RunAnalysis): Command[] {
  const { run, model } = analysis;
  const isKnown = model !== null && !model.described && canDryRun(analysis);
  if (!isKnown && !isOwnProgram(analysis)) return [];
  const tooltip = isKnown
    ? l10n.t("Run the model's code on tensors without data to see what memory it uses, and when")
    : l10n.t('Run your own program on tensors without data to see what memory it uses, and where');
  const args = [document.uri.toString(), run.name];
  return [{ title: l10n.t('Profile …'), tooltip, command: 'headroom.profileConfig', arguments: args }];
}
