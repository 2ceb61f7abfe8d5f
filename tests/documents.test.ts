import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { katari, makePlace, repository, type Place } from "./support/katari.ts";
import { installTestVoice } from "./support/test-voice.ts";

const read = (path: string): Promise<string> => readFile(join(repository, path), "utf8");
const exists = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined)) !== undefined;

/** Paths of files below a folder, seen from the repository, without what is installed or built. */
async function filesBelow(folder: string, wanted: RegExp): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(repository, folder), { withFileTypes: true })) {
    if (["node_modules", "dist", ".git", "artifacts", ".katari"].includes(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(await filesBelow(path, wanted)));
    else if (wanted.test(entry.name)) found.push(path);
  }
  return found;
}

/** Fenced blocks whose info string is exactly `info`. */
function blocks(page: string, info: string): string[] {
  const found: string[] = [];
  let open: { info: string; lines: string[] } | undefined;
  for (const line of page.split("\n")) {
    const fence = /^```(.*)$/u.exec(line);
    if (fence === null) open?.lines.push(line);
    else if (open === undefined) open = { info: (fence[1] ?? "").trim(), lines: [] };
    else {
      if (open.info === info) found.push(open.lines.join("\n"));
      open = undefined;
    }
  }
  return found;
}

/** Commands of the `sh` blocks, without comments. */
function commandsOf(page: string): string[] {
  return blocks(page, "sh")
    .flatMap((block) => block.split("\n"))
    .map((line) => line.replace(/(?:^|\s+)#.*$/u, "").trim())
    .filter((line) => line !== "");
}

/** `npm run narrate -- a --list` as what `katari` gets: `["narrate", "a", "--list"]`; undefined for other commands. */
function asKatari(command: string): string[] | undefined {
  const words = command.split(/\s+/u);
  const [program, first, second] = words;
  const rest = words.includes("--") ? words.slice(words.indexOf("--") + 1) : [];
  if (program === "katari") return words.slice(1);
  if (program !== "npm") return undefined;
  if (first === "start") return ["serve", ...rest];
  if (first === "run" && second === "narrate") return ["narrate", ...rest];
  if (first === "run" && second === "katari") return rest;
  return undefined;
}

const pagesWithCommands = [
  "README.md",
  "README.ja.md",
  "CONTRIBUTING.md",
  "docs/cli.md",
  "docs/deployment.md",
  "docs/troubleshooting.md",
];

describe("documents", () => {
  let place: Place;
  let pages: string[];
  beforeAll(async () => {
    place = await makePlace({ ownCache: true });
    pages = await filesBelow(".", /\.md$/u);
  });
  afterAll(() => place.remove());

  it("link to files that are there", async () => {
    expect(pages.length).toBeGreaterThan(10);
    const broken: string[] = [];
    for (const page of pages) {
      const text = (await read(page)).replaceAll(/^```.*?^```$/gmsu, "").replaceAll(/`[^`\n]*`/gu, "");
      for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)(?:\s+"[^"]*")?\)/gu)) {
        if (/^[a-z]+:/u.test(target) || target.startsWith("#")) continue;
        const path = join(repository, dirname(page), decodeURIComponent(target.split("#")[0] ?? ""));
        if (!(await exists(path))) broken.push(`${page}: ${target}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it("tell the same in English and in Japanese: commands, headings, pictures, links", async () => {
    const shape = (text: string): unknown => ({
      commands: commandsOf(text),
      headings: text.split("\n").flatMap((line) => /^#+ /u.exec(line) ?? []),
      rows: text.split("\n").filter((line) => line.startsWith("|")).length,
      bullets: text.split("\n").filter((line) => line.startsWith("- ")).length,
      links: [...text.matchAll(/\]\(([^)]+)\)/gu)]
        .map(([, target]) => target)
        .filter((target) => !target?.startsWith("README"))
        .toSorted(),
    });
    expect(shape(await read("README.ja.md"))).toEqual(shape(await read("README.md")));
  });

  it("name only npm scripts, benchmarks and files that there are", async () => {
    const { scripts } = JSON.parse(await read("package.json")) as { scripts: Record<string, string> };
    const wrong: string[] = [];
    let seen = 0;
    for (const page of pagesWithCommands)
      for (const command of [...commandsOf(await read(page)), ...inlineCommands(await read(page), "npm")]) {
        const [program, first = "", second = "", dashes, third] = command.split(/\s+/u);
        if (program !== "npm") continue;
        if (["config", "login", "cache", "ci"].includes(first)) continue;
        seen++;
        const script = first === "run" ? second : first;
        if (scripts[script] === undefined) wrong.push(`${page}: ${command}`);
        if (script === "bench" && dashes === "--" && !third?.startsWith("<"))
          if (!(await exists(join(repository, "bench", `${third}.ts`)))) wrong.push(`${page}: ${command}`);
      }
    expect(wrong).toEqual([]);
    expect(seen).toBeGreaterThan(20);
  });

  it("name only commands and options of katari that there are", async () => {
    const help = new Map<string, string>();
    const helpOf = async (command: string): Promise<string> => {
      const known = help.get(command);
      if (known !== undefined) return known;
      const { code, stdout } = await katari([...command.split(" ").filter(Boolean), "--help"], place);
      if (code !== 0) return "";
      help.set(command, stdout);
      return stdout;
    };
    const wrong: string[] = [];
    for (const page of pagesWithCommands) {
      const text = await read(page);
      const commands = [...commandsOf(text), ...inlineCommands(text, "npm"), ...inlineCommands(text, "katari")];
      for (const words of commands.map(asKatari)) {
        const [command] = words ?? [];
        if (words === undefined || command === undefined || command.startsWith("<")) continue;
        // Its options are of the model server itself, which has its own tests.
        if (command === "model-server") continue;
        const group = command === "voices" && words[1] !== undefined ? `voices ${words[1]}` : command;
        const told = command.startsWith("-") ? await helpOf("") : await helpOf(group);
        if (!command.startsWith("-") && !new RegExp(`^Usage: katari ${group}\\b`, "u").test(told))
          wrong.push(`${page}: katari ${words.join(" ")}`);
        for (const option of words.filter((word) => /^--?[a-z]/u.test(word)))
          if (!new RegExp(`(?:^|[\\s,])${option}\\b`, "mu").test(told)) wrong.push(`${page}: ${group} ${option}`);
      }
    }
    expect(wrong).toEqual([]);
    // The tables of docs/cli.md are the lists of options.
    const cli = (await read("docs/cli.md")).split(/^## /mu);
    const table = (title: string): string[] =>
      [...(cli.find((section) => section.startsWith(`${title}\n`)) ?? "").matchAll(/^\| `(?:-\w, )?(--[\w-]+)/gmu)]
        .map(([, option = ""]) => option)
        .toSorted();
    for (const command of ["narrate", "server", "worker"]) {
      const options = [...(await helpOf(command)).matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gmu)].map(([, option]) => option);
      expect(table(command)).toEqual(options.filter((option) => option !== "--help").toSorted());
    }
    // Every variable of a deployment stands in its page.
    const variables = [...(await read("packages/contracts/src/deployment.ts")).matchAll(/^ {2}(KATARI_\w+):/gmu)];
    expect(variables.length).toBeGreaterThan(15);
    const deployment = await read("docs/deployment.md");
    for (const [, variable = ""] of variables) expect(deployment).toContain(`\`${variable}\``);
    const configuration = await read("apps/model-server/src/configuration.ts");
    const server = [...configuration.matchAll(/^ {2}"?([a-z-]+)"?: \{ type: /gmu)].map(([, option]) => `--${option}`);
    expect(table("model-server")).toEqual(server.toSorted());
  });

  it("have commands that work: the list of voices, an analysis, the list of the sample's chapters", async () => {
    await installTestVoice(place);
    const voices = await katari(["voices", "list"], place);
    expect(voices).toMatchObject({ code: 0, stdout: expect.stringMatching(/^af_heart\s.*^test\s+ready/msu) });
    const sample = join(repository, "examples/the-lamplighters-ledger.md");
    const analysis = await katari(["analyze", sample, "--voice", "test", "--spoken"], place);
    expect(analysis.code).toBe(0);
    expect(analysis.stdout.split("\n").length).toBeGreaterThan(20);
    const list = await katari(["narrate", "--list"], place);
    expect(list.code).toBe(0);
    // The chapters of the sample are its headings.
    const headings = [...(await readFile(sample, "utf8")).matchAll(/^# (.+)$/gmu)].map(([, title]) => title);
    expect(headings.length).toBeGreaterThan(1);
    for (const title of headings) expect(list.stdout).toContain(title);
  });

  it("quote messages that are in the sources", async () => {
    const sources = await Promise.all(
      [...(await filesBelow("apps", /\.tsx?$/u)), ...(await filesBelow("packages", /\.ts$/u)), "scripts/setup.mjs"]
        .filter((path) => !/\.test\.tsx?$/u.test(path))
        .map(async (path) => ({ path: relative("", path), text: await read(path) })),
    );
    const page = await read("docs/troubleshooting.md");
    const quotes = [...blocks(page, "text source"), ...blocks(page, "text program")].flatMap((quote) =>
      quote.split("\n"),
    );
    expect(quotes.length).toBeGreaterThan(5);
    // `Building failed` is put together from the name of the step.
    const parts = (quote: string): string[] =>
      quote.replace(/^(?:Building|Installing dependencies)(?= )/u, "…").split("…");
    const unknown = quotes.filter(
      (quote) => !sources.some(({ text }) => parts(quote).every((part) => text.includes(part.trim()))),
    );
    expect(unknown).toEqual([]);
  });
});

/** Commands in running text: `npm run …` or `katari …` in a code span. */
function inlineCommands(page: string, program: "npm" | "katari"): string[] {
  return [...page.replaceAll(/^```.*?^```$/gmsu, "").matchAll(/`([^`\n]+)`/gu)]
    .map(([, code = ""]) => code)
    .filter((code) => code.startsWith(`${program} `) && !code.includes("…"));
}
