import { window } from 'vscode';
import type { LogOutputChannel } from 'vscode';
import { reasonOf, stackOf } from '../core/text/errors';
import { redact } from '../core/text/redact';

/** The extension's only log, in the Output panel. */
export class Log {
  private readonly channel: LogOutputChannel = window.createOutputChannel('Headroom', { log: true });

  info(message: string): void {
    this.channel.info(redact(message));
  }

  warn(message: string): void {
    this.channel.warn(redact(message));
  }

  /** Logs a failure and its cause, with the stack for bug reports. */
  error(what: string, cause: unknown): void {
    this.channel.error(redact(`${what}: ${stackOf(cause)}`));
  }

  /** Logs a refusal. `HEADROOM_DEBUG=1` adds its stack. */
  refused(what: string, cause: unknown): void {
    this.info(`${what}: ${process.env['HEADROOM_DEBUG'] === '1' ? stackOf(cause) : reasonOf(cause)}`);
  }

  show(): void {
    this.channel.show(true);
  }

  dispose(): void {
    this.channel.dispose();
  }
}
