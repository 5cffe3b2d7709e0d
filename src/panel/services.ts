import type { Event, Memento, Uri } from 'vscode';
import type { Prediction } from '../core/analyse/prediction';
import type { Log } from '../host/log';
import type { MachineGpus } from './machineGpus';
import type { Pages } from './page/chunk';
import type { PanelJobs } from './page/jobs';

/** What the run in front is predicted to take, as it changes. */
export interface PredictionSource {
  current(): Prediction | null;
  readonly onDidChange: Event<Prediction | null>;
}

/** What the panel stands on. */
export interface PanelServices {
  readonly extensionUri: Uri;
  /** Of the workspace. */
  readonly state: Memento;
  readonly gpus: MachineGpus;
  readonly prediction: PredictionSource;
  readonly pages: () => Promise<Pages>;
  /** Null in Restricted Mode. */
  readonly jobs: () => Promise<PanelJobs | null>;
  readonly log: Log;
}
