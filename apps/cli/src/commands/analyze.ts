import { AppError } from "@katari/core";
import { checkSourceKind, readSource } from "@katari/documents";
import {
  analyzeText,
  analyzeTree,
  createSpeaker,
  emptyPronunciation,
  loadPronunciation,
  type Analysis,
  type Speaker,
} from "@katari/text";
import type { LoadedVoice } from "@katari/voices/catalogue";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { fromCaller } from "../data-folder/paths.ts";
import { voiceCatalogue } from "../voice-catalogue.ts";

interface AnalyzeOptions {
  readonly lang?: string;
  readonly voice: string;
  readonly lines?: boolean;
  readonly spoken?: boolean;
  readonly json?: boolean;
}

/**
 * `katari analyze <file | ->`: what a voice would be told to say, without saying it. Nothing is stored, and no studio
 * needs to run. With `--lines` one analysis for each line.
 */
export async function analyze(
  file: string,
  options: AnalyzeOptions,
  context: { environment: Readonly<Record<string, string | undefined>>; signal: AbortSignal },
): Promise<void> {
  const { environment, signal } = context;
  if (file !== "-") await checkSourceKind({ path: fromCaller(file, environment), fileName: basename(file) });
  const speaker = await speakerOf(await voiceCatalogue(environment).load(options.voice), signal);
  const settings = { signal, ...(options.lang === undefined ? {} : { language: options.lang }) };
  const print = (analysis: Analysis): void => {
    if (options.json === true) process.stdout.write(`${JSON.stringify(analysis)}\n`);
    else if (options.spoken === true) printSpoken(analysis);
    else printTable(analysis);
  };
  if (options.lines === true) {
    for await (const line of createInterface({
      input: file === "-" ? process.stdin : await openText(file, environment),
    }))
      print(analyzeText(line, speaker, settings));
    return;
  }
  if (file === "-") {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    print(analyzeText(Buffer.concat(chunks).toString("utf8"), speaker, settings));
    return;
  }
  const path = fromCaller(file, environment);
  const tree = await readSource({ path, fileName: basename(path), signal });
  if (tree.format !== "text") print(analyzeTree(tree, speaker, settings));
  // Offsets of a plain text are those of the text itself, not of the reader's blocks.
  else print(analyzeText(new TextDecoder(tree.encoding ?? "utf-8").decode(await readFile(path)), speaker, settings));
}

async function speakerOf({ manifest, pronunciation }: LoadedVoice, signal: AbortSignal): Promise<Speaker> {
  const [files] = Object.values(pronunciation);
  return createSpeaker({
    vocabulary: manifest.vocabulary,
    pronunciation: files === undefined ? emptyPronunciation() : await loadPronunciation({ files, signal }),
  });
}

async function openText(
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<NodeJS.ReadableStream> {
  const path = fromCaller(file, environment);

  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw AppError.from(error);
  });
  return Readable.from([text]);
}

function segmentsOf(analysis: Analysis) {
  return analysis.documents.flatMap((document) => document.blocks.flatMap((block) => block.segments));
}

function printSpoken(analysis: Analysis): void {
  for (const segment of segmentsOf(analysis)) if (segment.spoken !== "") process.stdout.write(`${segment.spoken}\n`);
}

function printTable(analysis: Analysis): void {
  for (const segment of segmentsOf(analysis)) {
    process.stdout.write(`${segment.text.replaceAll("\n", " ")}\n`);
    for (const rewrite of segment.rewrites)
      process.stdout.write(`    ${rewrite.rule}: ${rewrite.display} → ${rewrite.spoken}\n`);
    const words = segment.words.map((word) => `${word.phonemes}${word.uncertain ? "?" : ""}`);
    process.stdout.write(
      `    ${words.join(" ")}   (${segment.boundary}, about ${(segment.predictedMs / 1000).toFixed(1)} s)\n`,
    );
  }
  for (const skip of analysis.skipped) process.stdout.write(`left out: ${skip.rule} (${skip.start}–${skip.end})\n`);
  for (const word of analysis.unknownWords)
    process.stdout.write(`unknown: ${word.text} (${word.count}×), guessed ${word.guess}\n`);
}
