// Runs one suite of npm test to its end and counts its results.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { run } from './processes.mjs';
import { root } from './root.mjs';
import { SKIPPED } from './suite.mjs';

const FLAW_LINES = 6;
const FLAW_CHARACTERS = 800;

const nothing = { passed: 0, failed: 0, skipped: 0 };

function resultsOf({ results }) {
  if (!results || !existsSync(resolve(root, results))) return null;
  return JSON.parse(readFileSync(resolve(root, results), 'utf8'));
}

/** Runs a suite, and reports if it was ended for being slow. */
async function attempt(suite, echo) {
  if (suite.results) rmSync(resolve(root, suite.results), { force: true });
  const options = { cwd: root, timeoutMs: suite.limitMs, lastSignal: 'SIGTERM', echo };
  const { status, timedOut, output } = await run(process.execPath, suite.node, options);
  const late = timedOut ? `${suite.name} was ended: it took longer than ${suite.limitMs / 1000} s` : '';
  return { status, found: resultsOf(suite), text: [output, late].filter(Boolean).join('\n') };
}

/**
 * A suite that exits with an error but without a failed test still counts as failed: it was interrupted, or could
 * not start.
 */
function counted({ results }, status, found) {
  if (status === SKIPPED) return { skipped: 1 };
  const bad = status === 0 ? 0 : 1;
  if (!results) return { passed: 1 - bad, failed: bad };
  if (!found) return { failed: 1 };
  const { passes, failures, pending } = found.stats;
  return { passed: passes, failed: Math.max(failures, bad), skipped: pending };
}

/** The files with failures; empty if mocha does not know all of them. */
function failedFiles(found) {
  const files = (found?.failures ?? []).map(({ file }) => file);
  return files.every(Boolean) ? [...new Set(files)].sort() : [];
}

/**
 * Titles of tests that passed when their file ran again. This separates races from bugs: such tests count as
 * passed, and are listed with their first failure.
 */
async function passedAgain(suite, found, echo) {
  const files = suite.waits ? failedFiles(found) : [];
  if (files.length === 0) return new Set();
  process.stdout.write(`-- ${suite.name}: ${files.map(file => basename(file)).join(', ')} run again\n`);
  const again = await attempt({ ...suite, node: [...suite.node, '--again', ...files] }, echo);
  return new Set((again.found?.passes ?? []).map(({ fullTitle }) => fullTitle));
}

/** The failures of all suites in a few lines each, because a log is read from its end. */
function flawOf({ name }, { fullTitle, err }, then = '') {
  const lines = (err?.message ?? '').split('\n').slice(0, FLAW_LINES);
  return `${name}: ${fullTitle}${then}\n    ${lines.join('\n    ').slice(0, FLAW_CHARACTERS)}`;
}

/** Why a suite did not run here: its last output. */
const absenceOf = ({ name }, text) =>
  `${name}: ${/^skipped: (.*)$/m.exec(text)?.[1] ?? 'it cannot run here'}`;

/**
 * Runs a suite: its counts, failed tests, flaky tests, why it was skipped, and its output. `echo`: prints the
 * output as it arrives.
 */
export async function runSuite(suite, { echo }) {
  const started = Date.now();
  const { status, found, text } = await attempt(suite, echo);
  const counts = { ...nothing, ...counted(suite, status, found) };
  const passedThen = await passedAgain(suite, found, echo);
  const failures = found?.failures ?? [];
  const isFlaky = ({ fullTitle }) => passedThen.has(fullTitle);
  const flaky = failures.filter(isFlaky).map(failure => flawOf(suite, failure, ': failed, then passed'));
  const flaws = failures.filter(failure => !isFlaky(failure)).map(failure => flawOf(suite, failure));
  if (failures.length === 0 && counts.failed > 0) flaws.push(`${suite.name}: ended badly: see above`);
  return {
    ...counts,
    passed: counts.passed + flaky.length,
    failed: counts.failed - flaky.length,
    text,
    seconds: (Date.now() - started) / 1000,
    flaky,
    flaws,
    absences: status === SKIPPED ? [absenceOf(suite, text)] : [],
  };
}
