import type { SuiteResult } from './runSuite.mjs';

export class Total {
  readonly failed: number;
  add(result: Omit<SuiteResult, 'text' | 'seconds'>): void;
  fail(): void;
  text(): string;
}
