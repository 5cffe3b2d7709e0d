/** Access tokens by their makers' prefixes, and whatever follows a name that means a secret. */
const SECRETS = [
  /\b(?:hf|gh[opsu]|sk|xox[abp])[-_][\w-]{8,}/g,
  /(?<=\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}/gi,
  /(?<=(?:token|secret|password|passwd|api_?key)["']?\s*[:=]\s*)(?:"[^"]*"|'[^']*'|[^\s"',;]+)/gi,
  /(?<=:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g,
];

/** A text that may be shown or logged: secrets that found their way into it are blotted out. */
export function redact(text: string): string {
  return SECRETS.reduce((safe, secret) => safe.replace(secret, '…'), text);
}

/** Names whose value nobody else should read: `--hf-token`, `AWS_SECRET_ACCESS_KEY`, `--api-key`. */
const SECRET_NAME =
  /(?:token|secret|passw(?:or)?d|passphrase|credentials?|(?:api|access|private|license)[-_]?key|auth)$/i;
const OPTION = /^-{1,2}([\w.-]+)$/;
const ASSIGNMENT = /^(-{0,2}[\w.-]+)=(.+)$/s;

/** A command line that may be shown: the values of options and variables that are secrets by their name are blotted out. */
export function redactedCommand(args: readonly string[]): string {
  const shown = args.map((arg, at) => {
    const before = OPTION.exec(args[at - 1] ?? '')?.[1];
    if (before !== undefined && SECRET_NAME.test(before) && !arg.startsWith('-')) return '…';
    const assigned = ASSIGNMENT.exec(arg);
    return assigned && SECRET_NAME.test(assigned[1] ?? '') ? `${assigned[1]}=…` : arg;
  });
  return redact(shown.join(' '));
}
