// Disables colors in processes that tests start: CI and terminals would enable them, and tests compare texts.

/** For this process and its children. */
export function withoutColors() {
  process.env.NO_COLOR = '1';
  // It overrides NO_COLOR, in Node and in most programs.
  delete process.env.FORCE_COLOR;
}
