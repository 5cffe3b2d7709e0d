import type { Uri } from 'vscode';
import type { AnalysisOptions, RunFailure } from '../core/rules/analysis';
import { setting } from '../host/settings';
import { pathOf } from '../host/uris';
import type { ChosenOptions } from './analysisService';
import type { Targets } from './targets';

/** The settings in force for a file, as an analysis takes them. */
export async function optionsFor(
  targets: Targets,
  uri: Uri,
  failuresOf: (file: string) => readonly RunFailure[],
): Promise<ChosenOptions> {
  const { target, problem } = await targets.for(uri);
  const failures = failuresOf(pathOf(uri));
  const options = { target, severities: severities(setting('rules.severity', uri)) };
  return { options: failures.length > 0 ? { ...options, failures } : options, problem };
}

const SEVERITIES: readonly unknown[] = ['off', 'hint', 'information', 'warning', 'error'];

/** A copy, as what VS Code gives cannot be sent to a worker; without values that mean nothing. */
function severities(set: AnalysisOptions['severities']): AnalysisOptions['severities'] {
  return Object.fromEntries(Object.entries(set).filter(([, severity]) => SEVERITIES.includes(severity)));
}
