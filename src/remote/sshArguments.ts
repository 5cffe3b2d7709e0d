import { isSecretName } from '../core/text/redact';

/** How to call the user's ssh. */
export interface SshProgram {
  readonly path: string;
  /** Null: ~/.ssh/config. */
  readonly configFile: string | null;
  readonly connectSeconds: number;
  /** A server that is silent for three times this long is given up. */
  readonly aliveSeconds: number;
}

export const SSH_DEFAULTS = { path: 'ssh', configFile: null, connectSeconds: 10, aliveSeconds: 15 };

/** Host names as ssh knows them, including `user@host` and addresses; never an option or shell syntax. */
const ALIAS = /^[A-Za-z0-9_][A-Za-z0-9_.@:%+-]*$/;
const MOST_CHARACTERS = 255;

export function isAlias(text: string): boolean {
  return text.length <= MOST_CHARACTERS && ALIAS.test(text);
}

/**
 * The options. They switch off anything in the user's config for this host that would break a command without a
 * terminal; keys, jump hosts and host key checking stay as configured. A connection that the user shares is used,
 * but no shared connection is created: closing ours must not close theirs.
 */
export function sshOptions(ssh: SshProgram, platform: NodeJS.Platform): readonly string[] {
  const options = [
    'BatchMode=yes',
    `ConnectTimeout=${ssh.connectSeconds}`,
    `ServerAliveInterval=${ssh.aliveSeconds}`,
    'ServerAliveCountMax=3',
    'ClearAllForwardings=yes',
    // Keep the user's agent and forwards local. No option can undo variables that a config sends: see
    // `sshEnvironment`.
    'ForwardAgent=no',
    'ForwardX11=no',
    'ForwardX11Trusted=no',
    'PermitLocalCommand=no',
    'RemoteCommand=none',
    'RequestTTY=no',
    'LogLevel=ERROR',
    'ControlMaster=no',
    // OpenSSH on Windows fails if the config names a shared connection.
    ...(platform === 'win32' ? ['ControlPath=none'] : []),
  ];
  const config = ssh.configFile === null ? [] : ['-F', ssh.configFile];
  return [...config, '-T', ...options.flatMap(option => ['-o', option])];
}

/** Variables that ssh itself, or a cloud's proxy command, needs to sign in. */
const FOR_SIGNING_IN = /^(?:SSH_|AWS_|AZURE_|GOOGLE_|CLOUDSDK_|GCLOUD_|TELEPORT_|TSH_)/;

/**
 * The environment without variables whose names suggest secrets: a `SendEnv` in the user's config would send them
 * to every host.
 */
export const sshEnvironment = (
  variables: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    Object.entries(variables).filter(([name]) => !isSecretName(name) || FOR_SIGNING_IN.test(name)),
  );

/** The command line: a remote shell that reads its commands from stdin. */
export function sshArguments(ssh: SshProgram, alias: string, platform: NodeJS.Platform): readonly string[] {
  if (!isAlias(alias)) throw new RangeError(`Not a host's name: ${alias}`);
  return [...sshOptions(ssh, platform), '--', alias, 'sh', '-s'];
}
