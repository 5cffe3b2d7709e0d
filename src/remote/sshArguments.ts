import { isSecretName } from '../core/text/redact';

/** How to call the user's ssh. */
export interface SshProgram {
  readonly path: string;
  /** Another file than ~/.ssh/config; null: that one. */
  readonly configFile: string | null;
  readonly connectSeconds: number;
  /** A server that is silent three times as long is given up. */
  readonly aliveSeconds: number;
}

export const SSH_DEFAULTS = { path: 'ssh', configFile: null, connectSeconds: 10, aliveSeconds: 15 };

/** Names of hosts as ssh knows them, `user@host` and addresses among them; nothing that could be an option or a word of a shell. */
const ALIAS = /^[A-Za-z0-9_][A-Za-z0-9_.@:%+-]*$/;
const MOST_CHARACTERS = 255;

export function isAlias(text: string): boolean {
  return text.length <= MOST_CHARACTERS && ALIAS.test(text);
}

/**
 * The options. What a user's config might have for this host that would break a command without a terminal is switched off;
 * keys, jumps and the checking of host keys are left as the user has them. A connection that the user shares is used, none
 * is made to be shared: ending ours must not end theirs.
 */
export function sshOptions(ssh: SshProgram, platform: NodeJS.Platform): readonly string[] {
  const options = [
    'BatchMode=yes',
    `ConnectTimeout=${ssh.connectSeconds}`,
    `ServerAliveInterval=${ssh.aliveSeconds}`,
    'ServerAliveCountMax=3',
    'ClearAllForwardings=yes',
    // What is yours stays here. Variables that a config sends cannot be taken back by an option: see `sshEnvironment`.
    'ForwardAgent=no',
    'ForwardX11=no',
    'ForwardX11Trusted=no',
    'PermitLocalCommand=no',
    'RemoteCommand=none',
    'RequestTTY=no',
    'LogLevel=ERROR',
    'ControlMaster=no',
    // Windows' ssh breaks a connection whose config names a shared one.
    ...(platform === 'win32' ? ['ControlPath=none'] : []),
  ];
  const config = ssh.configFile === null ? [] : ['-F', ssh.configFile];
  return [...config, '-T', ...options.flatMap(option => ['-o', option])];
}

/** What ssh itself, or a cloud's proxy command, signs in with. */
const FOR_SIGNING_IN = /^(?:SSH_|AWS_|AZURE_|GOOGLE_|CLOUDSDK_|GCLOUD_|TELEPORT_|TSH_)/;

/** The environment without what is secret by its name: a `SendEnv` of the user's config would take it to every host. */
export const sshEnvironment = (
  variables: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    Object.entries(variables).filter(([name]) => !isSecretName(name) || FOR_SIGNING_IN.test(name)),
  );

/** The command line: a shell on the other side that reads what it is to do. */
export function sshArguments(ssh: SshProgram, alias: string, platform: NodeJS.Platform): readonly string[] {
  if (!isAlias(alias)) throw new RangeError(`Not a host's name: ${alias}`);
  return [...sshOptions(ssh, platform), '--', alias, 'sh', '-s'];
}
