/** A server that runs. */
export interface Server {
  readonly port: number;
  readonly token: string;
  readonly folder: string;
  readonly stop: () => Promise<void>;
}

export function startServer(options: {
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly machineSettings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly vsix?: readonly string[];
  readonly linked?: readonly string[];
  readonly driver?: boolean;
  readonly trust?: boolean;
  readonly log?: string;
}): Promise<Server>;

export function workbenchUrl(
  server: Server,
  page: {
    readonly folder: string;
    readonly extension?: string | null;
    readonly tests?: string;
    readonly env?: Readonly<Record<string, string>>;
  },
): string;
