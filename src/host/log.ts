import { window } from 'vscode';
import type { LogOutputChannel } from 'vscode';
import { redact } from '../core/text/redact';

/** The extension's one log, in the Output panel. */
export class Log {
  private readonly channel: LogOutputChannel = window.createOutputChannel('Headroom', { log: true });

  info(message: string): void {
    this.channel.info(redact(message));
  }

  warn(message: string): void {
    this.channel.warn(redact(message));
  }

  /** What failed, and why; the stack goes along for bug reports. */
  error(what: string, cause: unknown): void {
    const detail = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    this.channel.error(redact(`${what}: ${detail}`));
  }

  show(): void {
    this.channel.show(true);
  }

  dispose(): void {
    this.channel.dispose();
  }
}
