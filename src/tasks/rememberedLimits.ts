import type { Memento } from 'vscode';
import type { JobLimits, JobPlace } from '../jobs/job';
import { NO_LIMITS } from '../jobs/job';
import { wordOfPlace } from './place';

const KEY = 'headroom.jobs.limits';

/** The last scheduler limits in this workspace, by place: defaults for the next start there. */
export class RememberedLimits {
  constructor(private readonly state: Memento) {}

  of(place: JobPlace): JobLimits {
    const kept = this.all()[wordOfPlace(place)];
    return typeof kept === 'object' && kept !== null ? limitsIn(kept) : NO_LIMITS;
  }

  keep(place: JobPlace, { timeMinutes, cpus, memoryMiB, requeue }: JobLimits): void {
    const limits = { timeMinutes, cpus, memoryMiB, requeue };
    void this.state.update(KEY, { ...this.all(), [wordOfPlace(place)]: limits });
  }

  private all(): Readonly<Record<string, unknown>> {
    const kept: unknown = this.state.get(KEY);
    return typeof kept === 'object' && kept !== null ? { ...kept } : {};
  }
}

function limitsIn(kept: object): JobLimits {
  const values: Readonly<Record<string, unknown>> = { ...kept };
  const amount = (name: string): number | null => {
    const value = values[name];
    return typeof value === 'number' && value > 0 ? value : null;
  };
  return {
    timeMinutes: amount('timeMinutes'),
    cpus: amount('cpus'),
    memoryMiB: amount('memoryMiB'),
    array: null,
    requeue: values['requeue'] === true,
  };
}
