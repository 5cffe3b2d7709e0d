import { Gate } from '../../remote/gate';
import { Shells } from '../../remote/shells';
import { SSH_DEFAULTS } from '../../remote/sshArguments';
import type { EngineRoom } from '../engineMaker';

/** Servers and jump hosts refuse those that come all together. */
const AT_ONCE = 4;
/** A list that is looked at again and again has its answers from one connection. */
const LINGER_MS = 20_000;
const MINUTE_MS = 60_000;

/** What the functions on the host read; they know the usual limit themselves. */
const startLimit = (ms: number | undefined): string =>
  ms === undefined ? '' : `START_MINUTES=${ms / MINUTE_MS}\n`;

/** Shells on other machines, with these functions, by what the user has set of ssh. */
export const shellsOf = ({ ssh, startLimitMs }: EngineRoom, functions: string): Shells =>
  new Shells(
    {
      program: { ...SSH_DEFAULTS, ...ssh },
      platform: process.platform,
      gate: new Gate(AT_ONCE),
      lingerMs: LINGER_MS,
    },
    startLimit(startLimitMs) + functions,
  );
