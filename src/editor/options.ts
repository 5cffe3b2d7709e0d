import type { Uri } from 'vscode';
import type { AnalysisOptions } from '../core/analysis';
import { setting } from '../host/settings';
import type { ChosenOptions } from './analysisService';
import type { Targets } from './targets';

/** The settings in force for a file, as an analysis takes them. */
export async function optionsFor(targets: Targets, uri: Uri): Promise<ChosenOptions> {
  const { target, problem } = await targets.for(uri);
  return { options: { target, severities: severities(setting('rules.severity', uri)) }, problem };
}

const SEVERITIES: readonly unknown[] = ['off', 'hint', 'information', 'warning', 'error'];

/** A copy, as what VS Code gives cannot be sent to a worker; without values that mean nothing. */
function severities(set: AnalysisOptions['severities']): AnalysisOptions['severities'] {
  return Object.fromEntries(Object.entries(set).filter(([, severity]) => SEVERITIES.includes(severity)));
}
