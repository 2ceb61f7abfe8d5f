import { runModelServerProcess } from "./run-process.ts";

process.exit(await runModelServerProcess({ argv: process.argv.slice(2), env: process.env }));
