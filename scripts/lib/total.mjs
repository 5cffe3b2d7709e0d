// The combined result of all suites of npm test, and its summary.

/** With more flaky tests than this, the run is not trustworthy. */
const MOST_FLAKY = 3;

export const counted = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;

export class Total {
  #counts = { passed: 0, failed: 0, skipped: 0 };
  #flaws = [];
  #flaky = [];
  #absences = [];

  /** The failures so far, including flaky tests if there are too many. */
  get failed() {
    return this.#counts.failed + this.#flakyFailed();
  }

  add(result) {
    for (const name of ['passed', 'failed', 'skipped']) this.#counts[name] += result[name];
    this.#flaws.push(...result.flaws);
    this.#flaky.push(...result.flaky);
    this.#absences.push(...result.absences);
  }

  /** The run was interrupted. */
  fail() {
    this.#counts.failed += 1;
  }

  /** The end of the output: skipped suites, flaws and flaky tests, then the line of counts. */
  text() {
    const tooMany = this.#flakyFailed();
    const counts = { ...this.#counts, passed: this.#counts.passed - tooMany, failed: this.failed };
    return [
      ...this.#absences.map(absence => `skipped: ${absence}`),
      ...this.#flaws.map(flaw => `failed: ${flaw}`),
      ...(tooMany > 0 ? [`failed: ${tooMany} tests are flaky, and more than ${MOST_FLAKY} fail a run`] : []),
      ...this.#flaky.map(one => `flaky: ${one}`),
      counted(counts),
    ].join('\n\n');
  }

  #flakyFailed() {
    return this.#flaky.length > MOST_FLAKY ? this.#flaky.length : 0;
  }
}
