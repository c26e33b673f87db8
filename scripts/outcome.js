/**
 * @typedef {import("./conformance.js").Report} Report
 * @typedef {{ passed: number, failed: number }} Outcome
 */

/**
 * Counts tests. A file that broke before its first test, and a run that broke outside of tests, are failures too.
 * @param {Report | null} report null where vitest wrote none
 * @param {number} exitCode vitest's
 * @returns {Outcome}
 */
export function outcomeOf(report, exitCode) {
  if (!report) return { passed: 0, failed: 1 };
  const statuses = report.testResults.flatMap((file) => file.assertionResults.map((a) => a.status));
  const passed = statuses.filter((status) => status === "passed").length;
  const broken = report.testResults.filter(isBroken).length;
  const failed = statuses.filter((status) => status === "failed").length + broken;
  const nothing = passed + failed === 0;
  return { passed, failed: failed === 0 && (exitCode !== 0 || nothing) ? 1 : failed };
}

/** @param {import("./conformance.js").TestFile} file */
function isBroken(file) {
  return file.status === "failed" && !file.assertionResults.some((a) => a.status === "failed");
}

/**
 * The last line that `npm test` and CI print.
 * @param {Outcome} outcome
 */
export function lastLine({ passed, failed }) {
  return `${passed} passed, ${failed} failed`;
}
