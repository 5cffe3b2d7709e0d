/** Access tokens, recognized by the formats of their issuers. */
const SHAPES = [
  /\b(?:hf|gh[opsu]|sk|xox[abp])[-_][\w-]{8,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  /(?=[\w.~+/=-]{8})(?<=\b(?:bearer|basic)\s+)[\w.~+/=-]+/gi,
  /(?<=:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g,
];

/** The same, and any value after a name of a secret. */
const SECRETS = [
  ...SHAPES,
  /(?=\S)(?<=(?:token|secret|password|passwd|api_?key)["']?\s*[:=]\s*)(?:"[^"]*"|'[^']*'|[^\s"',;]+)/gi,
];

/** A text with its secrets removed, safe to show or log. */
export function redact(text: string): string {
  return SECRETS.reduce((safe, secret) => safe.replace(secret, HIDDEN), text);
}

/** The replacement for a secret. */
const HIDDEN = '…';

/** Names of secret values: `--hf-token`, `AWS_SECRET_ACCESS_KEY`, `--api-key`. */
const SECRET_NAME =
  /(?:token|secret|passw(?:or)?d|passphrase|credentials?|(?:api|access|private|license)[-_]?key|auth)$/i;

/** Tokens of a tokenizer, which are public: `--pad_token`, `special-token`. */
const TOKENIZERS =
  /(?:^|[-_.])(?:pad(?:ding)?|[be]os|unk|mask|cls|sep|image|video|audio|special|stop|start|end|think|prompt|response|max|per|num|separator|placeholder|trust|use|use_auth)[-_]?token$/i;

/** True for the name of an option or a variable that holds a secret. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name) && !TOKENIZERS.test(name);

/** Values that are never secret, whatever the name: `--use_auth_token True`, `--hub_token null`. */
const NO_SECRET = /^(?:|true|false|yes|no|none|null|\$\{?\w+\}?)$/i;

/** True if a variable's value is secret, by its name or its format. */
export const isSecret = (name: string, value: string): boolean =>
  isNamedSecret(name, value) || shapeless(value) !== value;

const isNamedSecret = (name: string, value: string): boolean => isSecretName(name) && !NO_SECRET.test(value);

const shapeless = (text: string): string =>
  SHAPES.reduce((safe, secret) => safe.replace(secret, HIDDEN), text);

const OPTION = /^-{1,2}([\w.-]+)$/;
const ASSIGNMENT = /^([-+~]{0,2}[\w.-]+)=(.*)$/s;

/** The words of a command with secrets removed, safe to show and store. */
export function redactedArguments(args: readonly string[]): readonly string[] {
  return args.map((arg, at) => {
    const before = OPTION.exec(args[at - 1] ?? '')?.[1];
    if (before !== undefined && isNamedSecret(before, arg) && !arg.startsWith('-')) return HIDDEN;
    const [, name = '', value = ''] = ASSIGNMENT.exec(arg) ?? [];
    return name !== '' && isNamedSecret(name, value) ? `${name}=${HIDDEN}` : shapeless(arg);
  });
}

/** The redacted command as one text. */
export const redactedCommand = (args: readonly string[]): string => redact(redactedArguments(args).join(' '));
