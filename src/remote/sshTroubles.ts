import { oneLine } from './words';
import { phrase } from '../core/text/say';

/** How ssh ended, and its output. */
export interface SshEnd {
  readonly failure: 'not-found' | 'not-started' | null;
  readonly exitCode: number | null;
  /** The last stderr output of ssh, or of whatever answered instead of the script. */
  readonly stderr: string;
  readonly noise: string;
  /** It was ended locally because the other side did not answer in time. */
  readonly wasSilent: boolean;
}

/** Why there is no connection, and whether retrying automatically could help. */
export interface SshTrouble {
  readonly state: 'hostkey-changed' | 'hostkey-unknown' | 'auth-needed' | 'unreachable' | 'no-tool';
  readonly message: string;
  readonly todo: string | null;
  readonly text: string | null;
  /** `soon`: the network may come back; `late`: someone has to fix the host; `asked`: only the user can help. */
  readonly again: 'soon' | 'late' | 'asked';
}

interface TroublePattern extends Omit<SshTrouble, 'text'> {
  readonly pattern: RegExp;
}

/** OpenSSH's error messages, most specific first; {0} stands for the host. */
const TROUBLE_PATTERNS: readonly TroublePattern[] = [
  {
    pattern: /REMOTE HOST IDENTIFICATION HAS CHANGED|Offending \S+ key in|host key for \S+ has changed/i,
    state: 'hostkey-changed',
    message:
      'The host key of {0} has changed. It was reinstalled, or something is intercepting the connection.',
    todo: 'Ask the administrator of the host. If the new key is correct, run `ssh {0}` in a terminal to see which line of known_hosts to remove.',
    again: 'asked',
  },
  {
    pattern: /Host key verification failed|No \S+ host key is known|authenticity of host/i,
    state: 'hostkey-unknown',
    message: 'The host key of {0} is unknown.',
    todo: 'Run `ssh {0}` in a terminal once and verify the key it shows.',
    again: 'asked',
  },
  {
    pattern:
      /Permission denied|Too many authentication failures|No more authentication methods|sign_and_send_pubkey/i,
    state: 'auth-needed',
    message: '{0} requires an interactive login.',
    todo: 'Make `ssh {0} true` work without a prompt: add your key to the agent (`ssh-add`), or keep a shared connection open (ControlMaster).',
    again: 'asked',
  },
  {
    pattern: /Bad configuration option|bad configuration options|Bad owner or permissions/i,
    state: 'unreachable',
    message: 'ssh rejects its configuration.',
    todo: 'Run `ssh {0}` in a terminal to see which line to fix.',
    again: 'asked',
  },
  {
    pattern: /Could not resolve hostname/i,
    state: 'unreachable',
    message: 'Could not resolve the address of {0}.',
    todo: 'Check its HostName in ~/.ssh/config and your network or VPN.',
    again: 'soon',
  },
  {
    pattern: /Connection refused/i,
    state: 'unreachable',
    message: '{0} refuses SSH connections: nothing is listening on its address and port.',
    todo: 'Check that the host is running and that its Port is correct.',
    again: 'soon',
  },
  {
    pattern: /timed out|No route to host|Network is unreachable|Host is down/i,
    state: 'unreachable',
    message: '{0} does not answer.',
    todo: 'Check that the host is running, and check your network or VPN.',
    again: 'soon',
  },
  {
    pattern: /This account is currently not available|not recognized as|unknown command|Unknown command/i,
    state: 'no-tool',
    message: '{0} accepts the login but has no POSIX shell. Windows hosts are not supported over SSH.',
    todo: 'Give the account a shell, or remove the host.',
    again: 'late',
  },
];

const SSH_MISSING: TroublePattern = {
  pattern: /^$/,
  state: 'unreachable',
  message: 'The OpenSSH client was not found on this machine.',
  todo: 'Install it, or set its path in headroom.ssh.path.',
  again: 'late',
};

const NO_SHELL = 127;

/** Why a connection failed or ended. */
export function sshTrouble(end: SshEnd, alias: string): SshTrouble {
  const { failure, stderr, noise, exitCode, wasSilent } = end;
  const text = oneLine(stderr) ?? oneLine(noise);
  const known = failure === null ? troubleIn(`${stderr}\n${noise}`) : SSH_MISSING;
  if (known) return troubleOf(known, alias, text);
  if (exitCode === NO_SHELL) {
    const state = 'no-tool';
    return { state, message: `${alias} has no \`sh\`.`, todo: null, text, again: 'late' };
  }
  const message = wasSilent
    ? phrase`${alias} accepted the connection but did not complete the login within 30 seconds.`
    : phrase`The connection to ${alias} ended.`;
  return { state: 'unreachable', message, todo: null, text, again: 'soon' };
}

const troubleIn = (text: string): TroublePattern | undefined =>
  TROUBLE_PATTERNS.find(({ pattern }) => pattern.test(text));

function troubleOf(
  { state, message, todo, again }: TroublePattern,
  alias: string,
  text: string | null,
): SshTrouble {
  const named = (sentence: string) => sentence.replaceAll('{0}', alias);
  return { state, message: named(message), todo: todo && named(todo), text, again };
}
