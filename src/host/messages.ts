import { ProgressLocation, window } from 'vscode';
import type {
  CancellationToken,
  InputBoxOptions,
  Progress,
  ProgressOptions,
  QuickPickItem,
  QuickPickOptions,
} from 'vscode';
import { label, notice, visible, visibleLine } from '../core/text/visible';
import { rows } from './quickPick';
import { abortSignalOf } from './signal';

/*
 * VS Code's notifications, prompts and lists take links to commands and icons in their texts, which contain names of
 * files, runs, models and hosts that strangers chose. All of Headroom's go through here, where such text stays text.
 */

export const inform = (message: string, ...buttons: readonly string[]): Thenable<string | undefined> =>
  window.showInformationMessage(notice(message), ...buttons);

export const warn = (message: string, ...buttons: readonly string[]): Thenable<string | undefined> =>
  window.showWarningMessage(notice(message), ...buttons);

export const complain = (message: string, ...buttons: readonly string[]): Thenable<string | undefined> =>
  window.showErrorMessage(notice(message), ...buttons);

/** A modal dialog shows plain text: its title and each line below it stay one line, in which every character is seen. */
export const decide = (
  kind: 'question' | 'warning',
  { title, lines }: { readonly title: string; readonly lines: readonly string[] },
  ...buttons: readonly string[]
): Thenable<string | undefined> => {
  const options = { modal: true, detail: lines.map(visible).join('\n') };
  return kind === 'warning'
    ? window.showWarningMessage(visibleLine(title), options, ...buttons)
    : window.showInformationMessage(visibleLine(title), options, ...buttons);
};

export function askText(options: InputBoxOptions): Thenable<string | undefined> {
  const { prompt } = options;
  return window.showInputBox(prompt === undefined ? options : { ...options, prompt: notice(prompt) });
}

export function withProgress<T>(
  options: ProgressOptions,
  task: (
    progress: Progress<{ message?: string; increment?: number }>,
    token: CancellationToken,
  ) => Thenable<T>,
): Thenable<T> {
  const { title } = options;
  return window.withProgress(
    title === undefined ? options : { ...options, title: notice(title) },
    (progress, token) =>
      task(
        {
          report: step =>
            progress.report(step.message === undefined ? step : { ...step, message: notice(step.message) }),
        },
        token,
      ),
  );
}

/** Work under a notification with a button to cancel it; null once the user has canceled, which is no error. */
export const cancelable = <T>(
  title: string,
  work: (report: (text: string) => void, signal: AbortSignal) => Promise<T>,
): Thenable<T | null> =>
  withProgress(
    { location: ProgressLocation.Notification, title, cancellable: true },
    async (progress, token) => {
      try {
        return await work(message => progress.report({ message }), abortSignalOf(token));
      } catch (error) {
        if (token.isCancellationRequested) return null;
        throw error;
      }
    },
  );

export const pickOne = async <T extends QuickPickItem>(
  items: readonly T[] | Promise<readonly T[]>,
  options: QuickPickOptions & { canPickMany?: false },
): Promise<T | undefined> => window.showQuickPick<T>(rows(await items), options);

export const pickMany = async <T extends QuickPickItem>(
  items: readonly T[] | Promise<readonly T[]>,
  options: QuickPickOptions,
): Promise<readonly T[] | undefined> =>
  window.showQuickPick<T>(rows(await items), { ...options, canPickMany: true });

/** A moment in the status bar, with an icon of ours or without. */
export const mention = (message: string, icon: string | null, forMs: number): void => {
  window.setStatusBarMessage(`${icon === null ? '' : `$(${icon}) `}${label(message)}`, forMs);
};
