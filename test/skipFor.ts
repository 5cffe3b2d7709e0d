/** Skips a suite that cannot run here, and says why. */
export function skipFor(reason: string | null, suite: Pick<Mocha.Context, 'skip'>): void {
  if (reason === null) return;
  console.log(`    skipped: ${reason}`);
  suite.skip();
}
