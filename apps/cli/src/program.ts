import { AppError } from "@katari/core";
import { Command, CommanderError, Option } from "commander";
import type { NarrateOptions } from "./commands/narrate/narrate.ts";
import { sampleBook } from "./sample-book.ts";
import { version } from "./version.ts";

interface Context {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/**
 * All commands of `katari` with their options. Each command's code is loaded when it is run: nobody waits for the studio
 * to be read in order to list voices. A wrong option becomes AppError `invalid-argument`.
 */
export function createProgram({ environment, signal }: Context): Command {
  const program = new Command("katari")
    .description("Turns whole documents into finished narration.")
    .version(version());
  const json = (): Option => new Option("--json", "answer as JSON, errors too");
  const data = (): Option => new Option("--data <folder>", "data folder (default: KATARI_DATA or the user's)");

  program
    .command("narrate")
    .description("narrate an EPUB, Markdown or text file (without one: the sample book)")
    .argument("[file]", "source file", sampleBook())
    .option("-o, --output <file>", "where the audiobook goes (default: <title>.m4b here)")
    .option("--format <format>", "m4b, mp3, flac or wav")
    .option("--voice <voice>", "voice id; see `katari voices list`", "af_heart")
    .option("--speed <factor>", "0.5 to 2", "1")
    .option("--chapters <list>", "such as 1,3-5")
    .option("--list", "only list the chapters and what is left out")
    .option("--overwrite", "replace an output that Katari did not make")
    .option("--server <url>", "have a server elsewhere do the work (token: KATARI_HTTP_TOKEN)")
    .addOption(json())
    .addOption(data())
    .action(async (file: string, options: NarrateOptions) => {
      const { narrate } = await import("./commands/narrate/narrate.ts");
      await narrate(file, options, { environment, signal });
    });

  program
    .command("serve")
    .description("start the studio on this machine")
    .addOption(new Option("--port <port>", "port on the loopback address").default("7878"))
    .addOption(json())
    .addOption(data())
    .action(async (options: { port: string; json?: boolean; data?: string }) => {
      const { serve } = await import("./commands/serve.ts");
      await serve(options, { environment, signal });
    });

  program
    .command("analyze")
    .description("show how a text would be read: segments, spoken forms, phonemes")
    .argument("<file>", "text, Markdown or EPUB file; - for standard input")
    .option("--lang <tag>", "language of the text (default: detected)")
    .option("--voice <voice>", "voice whose pronunciation data is used", "af_heart")
    .option("--lines", "every input line is a text of its own")
    .option("--spoken", "print only the spoken form, a sentence a line")
    .addOption(json())
    .action(
      async (
        file: string,
        options: { lang?: string; voice: string; lines?: boolean; spoken?: boolean; json?: boolean },
      ) => {
        const { analyze } = await import("./commands/analyze.ts");
        await analyze(file, options, { environment, signal });
      },
    );

  program
    .command("doctor")
    .description("say what is in use and whether each part answers")
    .addOption(json())
    .addOption(data())
    .action(async (options: { json?: boolean; data?: string }) => {
      const { doctor } = await import("./commands/doctor.ts");
      await doctor(options, { environment, signal });
    });

  const config = (): Option => new Option("--config <file>", "settings of the installation, as JSON");
  program
    .command("server")
    .description("run the application alone, beside workers and model servers")
    .addOption(config())
    .addOption(json())
    .action(async (options: { config?: string }) => {
      const { server } = await import("./commands/apart.ts");
      await server(options, { environment, signal });
    });

  program
    .command("worker")
    .description("run a worker alone")
    .addOption(config())
    .option("--lanes <list>", "queues with slots, such as speech.cpu.bulk=2,import=1")
    .addOption(json())
    .action(async (options: { config?: string; lanes?: string }) => {
      const { worker } = await import("./commands/apart.ts");
      await worker(options, { environment, signal });
    });

  program
    .command("model-server")
    .description("run Katari's model server alone; its options are in docs/cli.md")
    .helpOption(false)
    .allowUnknownOption()
    .argument("[options...]")
    .action(async (argv: string[]) => {
      const { runModelServer } = await import("./commands/model-server.ts");
      await runModelServer(argv, environment);
    });

  const voiceCommands = () => import("./commands/voices.ts");
  const voices = program.command("voices").description("list, install, remove and verify voices");
  voices
    .command("list")
    .addOption(json())
    .action(async (options) => (await voiceCommands()).listVoices(environment, options));
  voices
    .command("add")
    .argument("<voice>")
    .option("--from <path>", "a local folder or file that has the voice's files")
    .addOption(json())
    .action(async (id: string, options) => (await voiceCommands()).addVoice(id, environment, options, signal));
  voices
    .command("remove")
    .argument("<voice>")
    .addOption(json())
    .action(async (id: string, options) => (await voiceCommands()).removeVoice(id, environment, options));
  voices
    .command("verify")
    .argument("<voice>")
    .addOption(json())
    .action(async (id: string, options) => (await voiceCommands()).verifyVoice(id, environment, options));

  throwInsteadOfExit(program);
  return program;
}

/** Commander's "unknown option '--x'", and perhaps a guess in a second line, as the sentence that all others are. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?)]$/u.test(text) ? "" : "."}`;
}

/** Commander ends the process by itself; here its complaints become AppErrors with the same exit codes and JSON form. */
function throwInsteadOfExit(command: Command): void {
  command.configureOutput({ outputError: () => {} });
  command.exitOverride((error: CommanderError) => {
    if (error.exitCode === 0) process.exit(0);
    throw new AppError("invalid-argument", sentence(error.message.replace(/^error: /u, "")), {
      cure: `Run katari ${command.name() === "katari" ? "" : `${command.name()} `}--help to see what is possible.`,
      cause: error,
    });
  });
  for (const child of command.commands) throwInsteadOfExit(child);
}
