type ProfileProblem =
  | 'python'
  | 'packages'
  | 'version'
  | 'cannot'
  | 'failed'
  | 'timed-out'
  | 'aborted'
  | 'protocol';

/** An error for the user: what happened and what to do. */
export class ProfileError extends Error {
  constructor(
    readonly kind: ProfileProblem,
    message: string,
  ) {
    super(message);
  }
}

/** The output of `src/python`: one JSON object per line. */
export type Fields = Readonly<Record<string, unknown>>;

/** Parses one line; a line that is not an answer has no fields. */
export function answerOf(line: string): Fields {
  if (!line.startsWith('{')) return {};
  try {
    const answer: unknown = JSON.parse(line);
    return typeof answer === 'object' && answer !== null ? (answer as Fields) : {};
  } catch {
    return {};
  }
}

/** The fields of an object whose values parse; the others are left out. */
export function fieldsOf<T>(value: unknown, of: (value: unknown) => T | null): Readonly<Record<string, T>> {
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(
    fields.flatMap(([name, one]) => {
      const found = of(one);
      return found === null ? [] : [[name, found] as const];
    }),
  );
}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const KINDS: Readonly<Record<string, ProfileProblem>> = {
  packages: 'packages',
  version: 'version',
  protocol: 'protocol',
};

/** A refusal in the scripts' own words. */
export function refusalOf(fields: Fields): ProfileError {
  const sentence = `${textOf(fields['sentence'])}.`;
  const missing = Array.isArray(fields['missing']) ? fields['missing'].map(textOf) : [];
  const how = missing.length > 0 ? ` ${installing(textOf(fields['executable']), missing)}` : '';
  return new ProfileError(KINDS[textOf(fields['what'])] ?? 'cannot', sentence + how);
}

/** The install command for the user to run; Headroom installs nothing. */
function installing(executable: string, missing: readonly string[]): string {
  const python = executable === '' ? 'python' : executable;
  return `Install it: ${/\s/.test(python) ? `"${python}"` : python} -m pip install ${missing.join(' ')}`;
}

export function failureOf(fields: Fields): ProfileError {
  const place = fields['place'] ? ` (${textOf(fields['place'])})` : '';
  return new ProfileError('failed', `The run's code failed: ${textOf(fields['error'])}${place}.`);
}

/** Reads a script's messages among its other output. */
export abstract class AnswerReader {
  problem: ProfileError | null = null;
  private rest = '';

  constructor(private readonly progress: (text: string) => void) {}

  push(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.read(answerOf(line));
  }

  /** Takes an answer that only this script gives. */
  protected abstract take(kind: string, fields: Fields): void;

  private read({ kind, ...fields }: Fields): void {
    if (kind === 'progress' && typeof fields['text'] === 'string') this.progress(fields['text']);
    else if (kind === 'refused') this.problem ??= refusalOf(fields);
    else if (kind === 'failed') this.problem ??= failureOf(fields);
    else if (typeof kind === 'string') this.take(kind, fields);
  }
}
