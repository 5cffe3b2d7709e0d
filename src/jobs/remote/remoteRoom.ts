import { Gate } from '../../remote/gate';
import { Shells } from '../../remote/shells';
import { SSH_DEFAULTS } from '../../remote/sshArguments';
import { MOST_COPY_BYTES } from '../engineMaker';
import type { EngineRoom } from '../engineMaker';

/** Servers and jump hosts refuse too many simultaneous connections. */
const AT_ONCE = 4;
/** Keeps the connection open for a list that is refreshed repeatedly. */
const LINGER_MS = 20_000;
const MINUTE_MS = 60_000;

/** The variable for the host's functions, which have their own default limit. */
const startLimit = (ms: number | undefined): string =>
  ms === undefined ? '' : `START_MINUTES=${ms / MINUTE_MS}\n`;

/** What engines on other machines use. */
export interface RemoteRoom {
  readonly shells: Shells;
  /** The maximum size of a copy for one job. */
  readonly mostCopyBytes: number;
  readonly now: () => number;
  readonly startLimitMs?: number | undefined;
}

/** Shells on other machines with these functions, using the user's ssh settings. */
export const remoteRoom = (
  { ssh, startLimitMs, mostCopyBytes = MOST_COPY_BYTES }: EngineRoom,
  functions: string,
): RemoteRoom => {
  const setup = {
    program: { ...SSH_DEFAULTS, ...ssh },
    platform: process.platform,
    gate: new Gate(AT_ONCE),
    lingerMs: LINGER_MS,
  };
  const shells = new Shells(setup, startLimit(startLimitMs) + functions);
  return { shells, mostCopyBytes, now: Date.now, startLimitMs };
};
