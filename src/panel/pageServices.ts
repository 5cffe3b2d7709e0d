import type { Event, Memento, Uri } from 'vscode';
import type { Prediction } from '../core/analyse/prediction';
import type { Log } from '../host/log';
import type { MachineGpus } from './machineGpus';
import type { PanelJobs } from './page/jobs';

/** The prediction for the active config, as it changes. */
export interface PredictionSource {
  current(): Prediction | null;
  readonly onDidChange: Event<Prediction | null>;
}

/** What a served page uses. */
export interface PageServices {
  readonly extensionUri: Uri;
  /** The workspace's. */
  readonly state: Memento;
  readonly gpus: MachineGpus;
  readonly prediction: PredictionSource;
  /** Null in Restricted Mode. */
  readonly jobs: () => Promise<PanelJobs | null>;
  readonly log: Log;
}
