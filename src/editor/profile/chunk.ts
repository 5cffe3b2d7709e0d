import { addMeasurement, countLengths, exportMeasurements, forgetMeasurements } from './measurements';
import { importPastRuns } from './pastRuns';
import { profileConfig, profiled } from './profileConfig';
import { l10n, workspace } from 'vscode';
import { Refusal } from '../../host/errors';
import { inform } from '../../host/messages';
import { setting } from '../../host/settings';
import { mustBeTrusted } from '../../host/trust';
import type { ProfileServices } from './profiler';
import { pythonFor } from './python';

/** *Calibrate This GPU*: measures what it reaches, for 20 seconds at most; times are computed with it from then on. */
async function calibrateGpu({ profiler, learned }: ProfileServices): Promise<void> {
  mustBeTrusted(
    l10n.t('Calibrating is unavailable in Restricted Mode. Trust this workspace to use its Python.'),
  );
  const folder = workspace.workspaceFolders?.[0]?.uri;
  if (folder?.scheme !== 'file' && folder?.scheme !== 'vscode-remote') {
    throw new Refusal(l10n.t('Open a folder first: the rates are stored in it.'));
  }
  const of = { folder: folder.fsPath, keptFor: setting('measurements.keptFor', folder) };
  const title = l10n.t('Calibrating the GPU');
  const said = await profiled(title, async (report, signal) =>
    profiler.calibrated(of, await pythonFor(folder), report, signal),
  );
  if (said === null) return;
  learned();
  void inform(said);
}

/** The commands that measure runs, loaded on first use. */
export const profiling = {
  profileConfig,
  countLengths,
  addMeasurement,
  forgetMeasurements,
  exportMeasurements,
  calibrateGpu,
  importPastRuns,
};
