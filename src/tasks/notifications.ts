import { commands, l10n, ProgressLocation } from 'vscode';
import type { CancellationToken, Progress } from 'vscode';
import { Disposing } from '../host/disposables';
import type { CommandId } from '../host/commands';
import { setting } from '../host/settings';
import { complain, inform, withProgress } from '../host/messages';
import type { JobRecord } from '../jobs/job';
import type { Ending, JobBoard } from './board';
import { isOver, memoryText, progressText, shareOf, stateWord } from './jobText';
import { say } from '../host/say';
import { told } from '../core/text/say';

/** Notifies about a job while it runs, with a button to stop it, and when it ends. */
export class JobNotifications extends Disposing {
  private readonly shown = new Set<string>();

  constructor(private readonly board: JobBoard) {
    super();
    this.store.add(board.onDidEnd(ending => this.notifyEnd(ending)));
  }

  /** Shows the progress of a job that this window started. */
  follow(id: string): void {
    if (this.shown.has(id) || !setting('jobs.notification')) return;
    const view = this.board.get(id);
    if (!view || isOver(view.record)) return;
    this.shown.add(id);
    const options = { location: ProgressLocation.Notification, title: view.record.name, cancellable: true };
    void withProgress(options, (progress, token) => this.report(id, progress, token)).then(() =>
      this.shown.delete(id),
    );
  }

  private report(
    id: string,
    progress: Progress<{ message?: string; increment?: number }>,
    token: CancellationToken,
  ): Promise<void> {
    return new Promise(resolve => {
      let reported = 0;
      const update = (): void => {
        const view = this.board.get(id);
        if (!view || isOver(view.record)) {
          listener.dispose();
          resolve();
          return;
        }
        const percent = (shareOf(view.progress) ?? 0) * 100;
        progress.report({
          message: progressText(view.record, view.progress, say),
          increment: Math.max(0, percent - reported),
        });
        reported = Math.max(reported, percent);
      };
      const listener = this.board.onDidChange(update);
      token.onCancellationRequested(() => {
        listener.dispose();
        void run('headroom.stopJob', id);
        resolve();
      });
      update();
    });
  }

  private notifyEnd({ record, isNews }: Ending): void {
    if (isNews && !this.board.isPart(record)) void showEnd(record);
  }
}

const run = (id: CommandId, ...args: readonly unknown[]): Thenable<unknown> =>
  commands.executeCommand(id, ...args);

/** Reports how a job ended, with actions. */
export async function showEnd(record: JobRecord): Promise<void> {
  const { state, name, message } = record;
  const words = [
    stateWord(state, say),
    state === 'succeeded' ? memoryText(record, say) : message && told(say, message),
  ];
  const text = `${name}: ${words.filter(word => word !== null).join('. ')}`;
  const output = l10n.t('Show Output');
  const config = l10n.t('Open Config');
  const buttons = record.config === null ? [output] : [output, config];
  const chosen =
    state === 'failed' || state === 'lost' ? await complain(text, ...buttons) : await inform(text, output);
  if (chosen === output) await run('headroom.showJobOutput', record.id);
  if (chosen === config) await run('headroom.openJobConfig', record.id);
}
