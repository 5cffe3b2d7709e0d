import { hostname } from 'node:os';
import type { Starter } from './job';
import { thisProcess } from './lock';
import { isAlive, processesOf } from './processes/processes';

const here = processesOf(process.platform);

export async function thisStarter(): Promise<Starter> {
  return { ...(await thisProcess()), host: hostname() };
}

/** Whether it is known that nobody starts it any more. */
export async function isGone(starter: Starter | undefined): Promise<boolean> {
  if (starter?.host !== hostname()) return false;
  return !(await isAlive(here, starter));
}
