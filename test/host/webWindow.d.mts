export function startWebWindow(options: {
  readonly extensions: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly log?: string;
}): Promise<{ readonly url: string; readonly stop: () => Promise<void> }>;
