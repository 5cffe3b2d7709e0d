import { commands, l10n, Uri } from 'vscode';
import { reasonOf } from '../core/text/errors';
import { DisposableStore } from './disposables';
import type { Disposable } from './disposables';
import { isRefusal, wantsTrust } from './errors';
import type { Log } from './log';
import { complain, warn } from './messages';

/**
 * Every command. Callers vary, so handlers validate their arguments: the palette passes none, menus pass the file's
 * URI (and other arguments, which are ignored), Headroom's own links pass the file as text and the name of a run.
 */
interface Commands {
  readonly 'headroom.optimize': (file?: unknown, run?: unknown) => unknown;
  readonly 'headroom.undoOptimization': () => unknown;
  readonly 'headroom.chooseTarget': () => unknown;
  readonly 'headroom.chooseCopiedGpu': () => unknown;
  readonly 'headroom.compareGpus': (file?: unknown, run?: unknown) => unknown;
  readonly 'headroom.explain': (file?: unknown, run?: unknown) => unknown;
  readonly 'headroom.showActions': (file?: unknown, run?: unknown) => unknown;
  readonly 'headroom.profileConfig': (file?: unknown, run?: unknown) => unknown;
  readonly 'headroom.countLengths': (file?: unknown, run?: unknown) => unknown;
  readonly 'headroom.addMeasurement': (file?: unknown, run?: unknown, printed?: unknown) => unknown;
  readonly 'headroom.forgetMeasurements': (file?: unknown, run?: unknown) => unknown;
  readonly 'headroom.calibrateGpu': () => unknown;
  readonly 'headroom.importPastRuns': (folder?: unknown) => unknown;
  readonly 'headroom.exportMeasurements': (file?: unknown, run?: unknown) => unknown;
  readonly 'headroom.chooseMeterGpu': () => unknown;
  readonly 'headroom.checkWorkspace': () => unknown;
  readonly 'headroom.clearResults': () => unknown;
  readonly 'headroom.checkFiles': (file?: unknown, files?: unknown) => unknown;
  readonly 'headroom.openConfig': () => unknown;
  readonly 'headroom.makeDialect': (file?: unknown) => unknown;
  readonly 'headroom.showRule': (rule?: unknown) => unknown;
  readonly 'headroom.downloadModelConfig': (file?: unknown, run?: unknown) => unknown;
  readonly 'headroom.describeModel': (file?: unknown, run?: unknown) => unknown;
  readonly 'headroom.estimateAs': (file?: unknown, run?: unknown) => unknown;
  readonly 'headroom.ignoreRule': (rule?: unknown) => unknown;
  readonly 'headroom.openExample': (name?: unknown) => unknown;
  readonly 'headroom.showPanel': () => unknown;
  readonly 'headroom.openPanelInEditor': () => unknown;
  readonly 'headroom.retryHosts': () => unknown;
  readonly 'headroom.copyGpus': () => unknown;
  readonly 'headroom.exportSamples': () => unknown;
  readonly 'headroom.addHost': () => unknown;
  readonly 'headroom.removeHost': (host?: unknown) => unknown;
  readonly 'headroom.openHostTerminal': (host?: unknown) => unknown;
  readonly 'headroom.runJob': (file?: unknown, run?: unknown) => unknown;
  readonly 'headroom.showJobOutput': (job?: unknown) => unknown;
  readonly 'headroom.stopJob': (job?: unknown) => unknown;
  readonly 'headroom.resumeJob': (job?: unknown) => unknown;
  readonly 'headroom.fetchJob': (job?: unknown) => unknown;
  readonly 'headroom.openJobConfig': (job?: unknown) => unknown;
  readonly 'headroom.showJobs': () => unknown;
  readonly 'headroom.dismissFailure': (file?: unknown, run?: unknown) => unknown;
  readonly 'headroom.showLog': () => unknown;
  readonly 'headroom.reportIssue': () => unknown;
}

export type CommandId = keyof Commands;

/** Registers all commands; a missing handler does not compile. A failure is reported in one sentence. */
export function registerCommands(handlers: Commands, log: Log): Disposable {
  const store = new DisposableStore();
  for (const [id, handler] of Object.entries(handlers) as [CommandId, (...args: unknown[]) => unknown][]) {
    store.add(
      commands.registerCommand(id, async (...args: unknown[]) => attempt(id, () => handler(...args), log)),
    );
  }
  return store;
}

async function attempt(id: CommandId, run: () => unknown, log: Log): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    showError(id, error, log);
    return undefined;
  }
}

/** Not awaited: nothing waits for the user to read the message. */
function showError(id: CommandId, error: unknown, log: Log): void {
  if (isRefusal(error)) {
    log.refused(id, error);
    void showRefusal(error);
    return;
  }
  log.error(id, error);
  const showLog = l10n.t('Show Log');
  const report = l10n.t('Report Issue');
  const message = l10n.t("Headroom couldn't finish this: {0}", reasonOf(error));
  void complain(message, showLog, report).then(chosen => {
    if (chosen === showLog) log.show();
    if (chosen === report) void commands.executeCommand('headroom.reportIssue' satisfies CommandId);
  });
}

/** Shows why a command was refused, with a button to fix it if possible. */
export async function showRefusal(error: Error): Promise<void> {
  if (!wantsTrust(error)) {
    void warn(error.message);
    return;
  }
  const manage = l10n.t('Manage Workspace Trust');
  const chosen = await warn(error.message, manage);
  if (chosen === manage) await commands.executeCommand('workbench.trust.manage');
}

/** VS Code's own issue form with this extension selected. */
export async function reportIssue(extensionId: string): Promise<void> {
  await commands.executeCommand('workbench.action.openIssueReporter', { extensionId });
}

/** The file that the command received, if any. */
export function fileArgument(value: unknown): Uri | null {
  if (value instanceof Uri) return value;
  return typeof value === 'string' ? Uri.parse(value, true) : null;
}

/** The files that a menu was opened on: the Explorer passes the file under the mouse, then all selected files. */
export function filesArgument(file: unknown, files: unknown): readonly Uri[] {
  const selected = Array.isArray(files) ? files.filter(one => one instanceof Uri) : [];
  const one = fileArgument(file);
  return selected.length > 0 || one === null ? selected : [one];
}

/** A command as the target of a Markdown or diagnostic link. */
export function commandLink(id: CommandId, ...args: readonly unknown[]): string {
  return args.length === 0 ? `command:${id}` : `command:${id}?${encodeURIComponent(JSON.stringify(args))}`;
}

/** Keys for `when` clauses in the manifest. */
interface ContextKeys {
  /** The active editor shows a config that Headroom knows. */
  readonly 'headroom.recognised': boolean;
  /** Its format was recognized only by the names of its keys. */
  readonly 'headroom.generic': boolean;
  /** Its estimate uses measurements. */
  readonly 'headroom.measured': boolean;
  /** The last job of a config ran out of memory. */
  readonly 'headroom.hasFailures': boolean;
  /** Results of *Check Workspace* are shown. */
  readonly 'headroom.hasResults': boolean;
  readonly 'headroom.hasJobs': boolean;
  readonly 'headroom.hasJobsUnderWay': boolean;
  readonly 'headroom.hasHosts': boolean;
  /** This machine has GPUs, as far as detection has run. */
  readonly 'headroom.hasGpus': boolean;
}

export function setContextKey<Key extends keyof ContextKeys>(key: Key, value: ContextKeys[Key]): void {
  void commands.executeCommand('setContext', key, value);
}
