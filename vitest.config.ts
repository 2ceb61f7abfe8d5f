import { defineConfig } from "vitest/config";

const unit = ["packages/*/src/**/*.test.ts", "apps/*/src/**/*.test.ts", "scripts/**/*.test.ts"];

export default defineConfig({
  test: {
    reporters: ["default", "./scripts/test-reporter.mjs"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      { extends: true, test: { name: "unit", include: unit } },
      {
        extends: true,
        test: {
          name: "stories",
          include: ["tests/**/*.test.ts"],
          fileParallelism: false,
          testTimeout: 1_200_000,
          hookTimeout: 1_200_000,
        },
      },
    ],
  },
});
