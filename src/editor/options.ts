import type { Uri } from 'vscode';
import { setting } from '../host/settings';
import type { ChosenOptions } from './analysisService';
import type { Targets } from './targets';

/** The settings in force for a file, as an analysis takes them. */
export async function optionsFor(targets: Targets, uri: Uri): Promise<ChosenOptions> {
  const { target, problem } = await targets.for(uri);
  // A copy: what VS Code gives cannot be sent to a worker.
  const severities = { ...setting('rules.severity', uri) };
  return { options: { target, severities }, problem };
}
