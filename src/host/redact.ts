/** Access tokens by their makers' prefixes, and whatever follows a name that means a secret. */
const SECRETS = [
  /\b(?:hf|gh[opsu]|sk|xox[abp])[-_][\w-]{8,}/g,
  /(?<=\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}/gi,
  /(?<=(?:token|secret|password|passwd|api_?key)["']?\s*[:=]\s*)(?:"[^"]*"|'[^']*'|[^\s"',;]+)/gi,
];

/** A text that may be logged: secrets that found their way into it are blotted out. */
export function redact(text: string): string {
  return SECRETS.reduce((safe, secret) => safe.replace(secret, '…'), text);
}
