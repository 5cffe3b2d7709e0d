import { l10n } from 'vscode';
import type { Command } from 'vscode';
import type { RunAnalysis } from '../../core/rules/analysis';
import { isTrusted } from '../../host/trust';
import type { Analysed } from '../analysisService';

/** What is no training, or writes its own rows with models next to it: a dry run would only say that it cannot follow. */
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

/** A training on one GPU has code that runs without data, in a folder that is trusted. */
export function canDryRun({ run, tentative }: RunAnalysis): boolean {
  const { task, gpus } = run.quantities;
  return isTrusted() && !tentative && !OTHERS.has(task.value ?? 'infer') && (gpus.value ?? 1) <= 1;
}

/** Where the model is known, a dry run needs no word of the user. */
export function profileOffer({ document }: Analysed, analysis: RunAnalysis): Command[] {
  const { run, model } = analysis;
  if (model === null || model.described || !canDryRun(analysis)) return [];
  const tooltip = l10n.t("Run the model's code on tensors without data to see what memory it uses, and when");
  const args = [document.uri.toString(), run.name];
  return [{ title: l10n.t('Profile …'), tooltip, command: 'headroom.profileConfig', arguments: args }];
}
