import { existsSync } from "node:fs";
import { join } from "node:path";
import { repository } from "./katari.ts";
import { run } from "./programs.ts";

/** The Time Machine by H. G. Wells as EPUB 3: a real book of 32,400 words. It lies beside the repository, not in it. */
export const book = join(repository, "../shared/books/the-time-machine.epub");

/** Reason to skip a test that needs the book, undefined when it is there. */
export const bookIsMissing = existsSync(book) ? undefined : "needs ../shared/books";

const scripts = join(repository, "tests/completeness");

/** Characters of every page of a source as code that shares nothing with Katari counts them. */
export async function countSource(
  path: string,
): Promise<{ files: { path: string; characters: number }[]; total: number }> {
  const { stdout } = await run("python3", [join(scripts, "count-source.py"), path]);
  return JSON.parse(stdout) as { files: { path: string; characters: number }[]; total: number };
}

/** Where sentences are looked for: a page of a book, or a text file with a paragraph a line. */
export type Wanted = { readonly epub: string; readonly entry: string } | { readonly sentences: string };

const optionsOf = (wanted: Wanted): string[] =>
  "epub" in wanted ? ["--epub", wanted.epub, "--entry", wanted.entry] : ["--sentences", wanted.sentences];

/** Text of a page without note references, by code that shares nothing with Katari: a paragraph a line. */
export async function pageText(epub: string, entry: string): Promise<string> {
  return (await run("python3", [join(scripts, "align-transcript.py"), ...optionsOf({ epub, entry }), "--print"]))
    .stdout;
}

/** Sentences of four or more words of which over half was not heard. */
export async function missingSentences(wanted: Wanted, transcript: string): Promise<string[]> {
  const args = [join(scripts, "align-transcript.py"), ...optionsOf(wanted), "--transcript", transcript, "--json"];
  const { stdout } = await run("python3", args, { codes: [0, 1] });
  return (JSON.parse(stdout) as { failed: { text: string }[] }).failed.map(({ text }) => text);
}

/** What a speech recogniser hears in an audio file; with a reference also the share of its words that it got wrong. */
export async function transcribe(
  audio: string,
  reference?: string,
): Promise<{ readonly transcript: string; readonly wordErrorRate: number }> {
  const script = join(repository, "../shared/rigs/transcribe.py");
  const args = [script, audio, "--json", ...(reference === undefined ? [] : ["--reference", reference])];
  const { stdout } = await run("python3", args);
  // The first use installs the recogniser: pip may say something before the answer.
  const { files } = JSON.parse(stdout.slice(stdout.indexOf("{"))) as { files: { transcript: string; rate?: number }[] };
  return { transcript: files[0]?.transcript ?? "", wordErrorRate: files[0]?.rate ?? Number.NaN };
}
