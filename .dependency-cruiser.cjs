/** The arrows of the house (ARCHITECTURE.md): apps → packages, packages inwards, drivers only in adapters. */
const inner = ["core", "contracts"];
const packagesOf = (names) => `^packages/(${names.join("|")})/`;

module.exports = {
  forbidden: [
    { name: "no-cycle", severity: "error", from: {}, to: { circular: true } },
    {
      name: "core-imports-nothing",
      severity: "error",
      from: { path: "^packages/core/src/", pathNot: "\\.test\\.ts$" },
      to: { pathNot: "^packages/core/src/" },
    },
    {
      name: "contracts-import-core-and-zod",
      severity: "error",
      from: { path: "^packages/contracts/src/", pathNot: "\\.test\\.ts$" },
      to: { pathNot: "^packages/(core|contracts)/|^node_modules/zod/" },
    },
    {
      name: "inner-packages-import-only-core-and-contracts",
      severity: "error",
      from: {
        path: packagesOf(["text", "documents", "audio", "voices", "inference", "queue", "storage", "database"]),
        pathNot: "\\.test\\.ts$",
      },
      to: { path: "^packages/([^/]+)/", pathNot: [packagesOf(inner), "^packages/$1/"], dependencyTypesNot: ["local"] },
    },
    {
      name: "families-are-pure",
      severity: "error",
      from: { path: "^packages/voices/src/families/", pathNot: "\\.test\\.ts$" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "packages-do-not-import-apps",
      severity: "error",
      from: { path: "^packages/" },
      to: { path: "^apps/" },
    },
    {
      name: "only-cli-imports-apps",
      severity: "error",
      from: { path: "^apps/([^/]+)/", pathNot: "^apps/cli/" },
      to: { path: "^apps/", pathNot: "^apps/$1/" },
    },
    {
      name: "no-foreign-src",
      severity: "error",
      from: { path: "^(packages|apps)/([^/]+)/" },
      to: { path: "^(packages|apps)/[^/]+/src/", pathNot: "^$1/$2/" },
    },
    {
      name: "worker-never-sees-the-database",
      severity: "error",
      from: { path: "^apps/worker/", pathNot: "\\.test\\.ts$" },
      to: { path: "^packages/database/|node_modules/(pg|kysely|@electric-sql)/" },
    },
    {
      name: "drivers-only-in-adapters",
      severity: "error",
      from: {
        path: "^(packages|apps)/",
        pathNot: [
          "^packages/queue/src/rabbitmq/",
          "^packages/storage/src/(s3|testing)/",
          "^packages/database/src/",
          "\\.test\\.ts$",
        ],
      },
      to: { path: "node_modules/(rabbitmq-client|@aws-sdk|@smithy|pg|@electric-sql)/" },
    },
    {
      name: "onnxruntime-only-in-children",
      severity: "error",
      from: {
        path: "^(packages|apps)/",
        pathNot: "^apps/model-server/src/runtimes/|^packages/voices/src/catalogue/|\\.test\\.ts$",
      },
      to: { path: "node_modules/onnxruntime-node/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules|/dist/" },
    exclude: { path: "/dist/|\\.test\\.tsx?$|apps/studio/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.base.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "default"] },
  },
};
