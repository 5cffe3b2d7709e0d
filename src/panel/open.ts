import type { ExtensionContext } from 'vscode';
import { setContextKey } from '../host/commands';
import { DisposableStore } from '../host/disposables';
import { lazily } from '../host/lazily';
import type { Log } from '../host/log';
import { onSettings, setting } from '../host/settings';
import { HostCommands } from './hosts';
import { MachineGpus } from './machineGpus';
import { registerMeter } from './meter';
import type { PanelJobs } from './page/jobs';
import { PanelPages } from './panelPages';
import type { PredictionSource } from './pageServices';

/** The panel's dependencies on other rooms. */
interface PanelDeps {
  readonly gpus: MachineGpus;
  readonly prediction: PredictionSource;
  /** Null in Restricted Mode. */
  readonly jobs: () => Promise<PanelJobs | null>;
  readonly log: Log;
}

/** The GPUs of this window, which the meter, the panel, the editor and jobs share. */
export const openGpus = (log: Log): MachineGpus =>
  new MachineGpus(async options => (await import('../gpu/openFleet')).openFleet(options), log);

/** The meter, the panel and the list of hosts. The page's own code loads when the panel is first shown. */
export function openPanel(context: ExtensionContext, { gpus, prediction, jobs, log }: PanelDeps) {
  const disposables = new DisposableStore();
  disposables.add(registerMeter(gpus));
  const knowHosts = (): void => setContextKey('headroom.hasHosts', setting('hosts').length > 0);
  disposables.add(onSettings(['hosts'], knowHosts));
  knowHosts();
  const { extensionUri, workspaceState: state } = context;
  const pages = lazily(async () => (await import('./page/chunk')).pages);
  const panel = disposables.add(new PanelPages({ extensionUri, state, gpus, prediction, pages, jobs, log }));
  const hosts = new HostCommands(gpus, async file =>
    (await import('../remote/configAliases')).configAliases(file),
  );
  const commands = {
    'headroom.chooseMeterGpu': async () => (await pages()).chooseMeterGpu(gpus),
    'headroom.showPanel': () => panel.show(),
    'headroom.openPanelInEditor': () => panel.openInTab(),
    'headroom.retryHosts': () => panel.retry(),
    'headroom.copyGpus': () => panel.copy(),
    'headroom.exportSamples': () => panel.export(),
    'headroom.addHost': () => hosts.add(),
    'headroom.removeHost': (host: unknown) => hosts.remove(host),
    'headroom.openHostTerminal': (host: unknown) => hosts.openTerminal(host),
  };
  return { disposables, commands };
}
