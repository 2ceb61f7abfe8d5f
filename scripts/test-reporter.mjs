/**
 * The closing lines of `npm test`: one line per skipped test with its reason, then `N passed, M failed, K skipped`.
 * With KATARI_REQUIRE_ALL=1 a skip is a failure, and so is a run without tests.
 */
export default class ClosingLines {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    const skips = [];
    for (const module of modules) {
      counts.failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === "passed") counts.passed++;
        else if (result.state === "failed") counts.failed++;
        else {
          counts.skipped++;
          skips.push(`skipped: ${module.relativeModuleId} > ${test.fullName}: ${result.note ?? "no reason given"}`);
        }
      }
    }
    for (const line of skips) console.log(line);
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
    const nothingRan = counts.passed + counts.failed === 0;
    if (nothingRan || (process.env.KATARI_REQUIRE_ALL === "1" && counts.skipped > 0)) process.exitCode = 1;
  }
}
