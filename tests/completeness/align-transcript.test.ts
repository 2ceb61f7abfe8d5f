import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const script = fileURLToPath(new URL("align-transcript.py", import.meta.url));
const book = fileURLToPath(new URL("../../../shared/books/the-time-machine.epub", import.meta.url));
const example = fileURLToPath(new URL("../../examples/the-lamplighters-ledger.md", import.meta.url));

interface Alignment {
  readonly sentences: readonly { readonly text: string; readonly share: number }[];
  readonly failed: readonly { readonly text: string }[];
  readonly words: number;
  readonly missing: number;
}

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "katari-align-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function align(source: readonly string[], transcript: string): Promise<{ code: number; result: Alignment }> {
  const path = join(folder, "transcript.txt");
  await writeFile(path, transcript);
  return new Promise((resolve, reject) => {
    execFile("python3", [script, ...source, "--transcript", path, "--json"], (error, stdout, stderr) => {
      const code = error ? Number(error.code) : 0;
      if (code > 1 || !stdout) reject(new Error(stderr));
      else resolve({ code, result: JSON.parse(stdout) as Alignment });
    });
  });
}

/** What a recogniser does to a text: no case, no punctuation, other spelling, each fortieth word wrong, each sixtieth lost. */
function misheard(text: string): string {
  const words = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s.£]/gu, "")
    .replaceAll("harbour", "harbor")
    .split(/\s+/u);
  return words
    .filter((_, index) => index % 60 !== 59)
    .map((word, index) => (index % 40 === 39 ? `${word.slice(0, -1)}x` : word))
    .join(" ");
}

describe("a transcript of the example", () => {
  it("passes with the errors of a recogniser and fails when any one sentence is cut", async () => {
    const story = (await readFile(example, "utf8")).replace(/^---\n[^]*?\n---\n/u, "").replace(/^# .*$/gmu, "");
    const sentences = join(folder, "story.txt");
    await writeFile(sentences, story);
    const source = ["--sentences", sentences];
    const whole = await align(source, misheard(story));
    expect(whole.result.failed).toEqual([]);
    expect(whole.code).toBe(0);
    expect(whole.result.missing / whole.result.words).toBeLessThan(0.06);
    expect(whole.result.sentences.length).toBeGreaterThan(20);
    for (const { text } of whole.result.sentences) {
      const cut = await align(source, misheard(story.replace(/\s+/gu, " ").replace(text, "")));
      expect([text, cut.code]).toEqual([text, 1]);
      expect(cut.result.failed.map((failed) => failed.text)).toContain(text);
    }
  });

  it("hears figures as the words that are said for them", async () => {
    const sentences = join(folder, "figures.txt");
    await writeFile(sentences, "In 1887 he lit 142 lamps for £2,350. Mr. Marsh’s colour was grey on the 3rd.\n");
    const said =
      "in eighteen eighty seven he lit a hundred and forty two lamps for two thousand three hundred and fifty pounds " +
      "mister marshs color was gray on the third";
    expect((await align(["--sentences", sentences], said)).result).toMatchObject({ missing: 0, failed: [] });
  });
});

describe.skipIf(!existsSync(book) && process.env["KATARI_REQUIRE_ALL"] !== "1")(
  "a transcript of the epilogue (needs ../shared)",
  () => {
    it("passes whole, fails without one sentence, and takes the sentences from the page", async () => {
      const source = ["--epub", book, "--entry", "epilogue.xhtml"];
      const nothing = await align(source, "nothing");
      const sentences = nothing.result.sentences.map(({ text }) => text);
      expect(sentences[0]).toBe("One cannot choose but wonder.");
      expect(sentences.at(-1)).toMatch(/in the heart of man\.$/u);
      expect((await align(source, misheard(sentences.join(" ")))).code).toBe(0);
      const cut = sentences.filter((_, index) => index !== 2).join(" ");
      expect((await align(source, misheard(cut))).result.failed.map(({ text }) => text)).toEqual([sentences[2]]);
    });
  },
);
