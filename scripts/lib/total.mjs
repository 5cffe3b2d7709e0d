// What all suites of npm test say together, and how the end of a run tells it.

/** With more tests than these that passed only when their file ran again, the run is not to be trusted. */
const MOST_FLAKY = 3;

export const counted = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;

export class Total {
  #counts = { passed: 0, failed: 0, skipped: 0 };
  #flaws = [];
  #flaky = [];
  #absences = [];

  /** What has failed so far, flaky tests included where they are too many. */
  get failed() {
    return this.#counts.failed + this.#flakyFailed();
  }

  add(result) {
    for (const name of ['passed', 'failed', 'skipped']) this.#counts[name] += result[name];
    this.#flaws.push(...result.flaws);
    this.#flaky.push(...result.flaky);
    this.#absences.push(...result.absences);
  }

  /** The run broke off. */
  fail() {
    this.#counts.failed += 1;
  }

  /** The end of the run: absences, flaws and flaky tests, then the line of counts. */
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
