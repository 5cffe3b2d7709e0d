/** One field that was read otherwise than a person read it. */
export interface Wrong {
  readonly id: string;
  readonly field: string;
  readonly expected: unknown;
  readonly got: unknown;
}
