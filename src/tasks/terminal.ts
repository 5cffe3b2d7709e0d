import { EventEmitter, l10n } from 'vscode';
import type { Event, Pseudoterminal } from 'vscode';
import type { JobRecord } from '../jobs/job';
import type { Jobs } from '../jobs/jobs';
import type { JobBoard } from './board';
import { isOver, ownLine, stateWord, TerminalText } from './jobText';
import type { Signal } from '../core/signal';
import { reasonOf } from '../core/text/errors';
import { say } from '../host/say';
import { told } from '../core/text/say';

/** The job to show: an existing one, or one that is started when the terminal opens. Null: the user canceled. */
export type FindJob = (signal: Signal) => Promise<JobRecord | null>;

export interface TerminalHost {
  readonly board: JobBoard;
  /** The user closed the terminal, or its task was ended; decides what happens to the job. */
  closed(record: JobRecord): void;
}

/** Delay between reads of an output after one without and one with new text. */
const QUIET_MS = 500;
const BUSY_MS = 50;
const INTERRUPT = '\u0003';

/** A terminal that follows a job's output file. It does not own the job: closing it ends nothing. */
export class JobTerminal implements Pseudoterminal {
  private readonly written = new EventEmitter<string>();
  private readonly ended = new EventEmitter<number>();
  private readonly named = new EventEmitter<string>();
  private readonly controller = new AbortController();
  private readonly text = new TerminalText();
  private record: JobRecord | null = null;
  private offset = 0;

  readonly onDidWrite: Event<string> = this.written.event;
  readonly onDidClose: Event<number> = this.ended.event;
  readonly onDidChangeName: Event<string> = this.named.event;

  constructor(
    private readonly find: FindJob,
    private readonly host: TerminalHost,
  ) {}

  open(): void {
    void this.follow().catch((error: unknown) => {
      if (this.controller.signal.aborted) return;
      this.write(ownLine(reasonOf(error)));
      this.ended.fire(1);
    });
  }

  close(): void {
    this.controller.abort();
    const record = this.record && (this.host.board.get(this.record.id)?.record ?? this.record);
    if (record && !isOver(record)) this.host.closed(record);
  }

  /** Ctrl+C stops the job. */
  handleInput(typed: string): void {
    if (typed !== INTERRUPT || this.record === null) return;
    const { id } = this.record;
    this.write(ownLine(l10n.t('Stopping …')));
    void this.host.board
      .begin()
      .then(jobs => jobs?.stop(id, this.controller.signal))
      .catch((error: unknown) => this.write(ownLine(reasonOf(error))));
  }

  private async follow(): Promise<void> {
    const { signal } = this.controller;
    const jobs = await this.host.board.begin();
    const record = jobs && (await this.find(signal));
    if (!jobs || !record || signal.aborted) {
      this.ended.fire(0);
      return;
    }
    this.record = record;
    // `whyClosed` identifies the terminal by this name.
    this.named.fire(`${record.name} (${record.id.slice(-6)})`);
    this.write(ownLine(l10n.t('{0} · job {1}', record.name, record.id)));
    this.write(ownLine(l10n.t('Closing this terminal does not stop the job. Press Ctrl+C to stop it.')));
    await this.read(jobs, record.id, signal);
  }

  private async read(jobs: Jobs, id: string, signal: AbortSignal): Promise<void> {
    let lastMessage = '';
    for (;;) {
      // Read the record first, so that output written before the job's end is also read.
      const record = await jobs.get(id);
      const isNew = await this.readOn(jobs, id, signal);
      if (signal.aborted) return;
      if (record === null) throw new Error(l10n.t('The record of this job is gone.'));
      if (isOver(record) && !isNew) {
        this.end(record);
        return;
      }
      if (record.state === 'queued' && record.message !== null && record.message !== lastMessage) {
        lastMessage = record.message;
        this.write(ownLine(told(say, lastMessage)));
      }
      await wait(isNew ? BUSY_MS : QUIET_MS, signal);
    }
  }

  private async readOn(jobs: Jobs, id: string, signal: AbortSignal): Promise<boolean> {
    const piece = await jobs.output(id, this.offset, signal);
    if (piece.bytes.length === 0) return false;
    this.offset = piece.offset + piece.bytes.length;
    this.write(this.text.take(piece.bytes));
    return true;
  }

  private end(record: JobRecord): void {
    const { exit, message, state } = record;
    const why = [stateWord(state, say), message && told(say, message)]
      .filter(text => text !== null)
      .join(': ');
    this.write(`\r\n${ownLine(why)}`);
    this.ended.fire(state === 'succeeded' ? 0 : (exit?.code ?? 1));
  }

  private write(text: string): void {
    this.written.fire(text);
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}
