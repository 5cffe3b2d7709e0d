export interface Suite {
  readonly name: string;
  readonly node: readonly string[];
  readonly results?: string;
  readonly limitMs: number;
  readonly waits?: boolean;
}

export interface SuiteResult {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly text: string;
  readonly seconds: number;
  readonly flaky: readonly string[];
  readonly flaws: readonly string[];
  readonly absences: readonly string[];
}

export function runSuite(suite: Suite, options: { readonly echo: boolean }): Promise<SuiteResult>;
