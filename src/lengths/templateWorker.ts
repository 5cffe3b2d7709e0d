import { parentPort, workerData } from 'node:worker_threads';
import type { ChatTemplate } from '../core/lengths/chatTemplate';
import type { Turn } from '../core/lengths/rowText';
import { jinjaWriter } from './jinja';

/** The thread's input. */
export interface TemplateTask {
  readonly template: ChatTemplate;
  readonly nowMs: number;
}

// A template comes from the model's author: in its own thread it can neither block the program nor exhaust its
// memory.
const { template, nowMs } = workerData as TemplateTask;
const write = jinjaWriter(template, nowMs);
parentPort?.on('message', (rows: readonly (readonly Turn[])[]) => {
  parentPort?.postMessage(rows.map(write));
});
