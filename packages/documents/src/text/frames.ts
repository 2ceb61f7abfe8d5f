import type { FileLedger } from "../file-ledger.ts";
import { linesOf } from "./lines.ts";

/** What frames the text of an e-text: where the work itself is, and what the frame says of it. */
export interface Framed {
  readonly from: number;
  readonly to: number;
  readonly aozora: boolean;
  readonly title?: string;
  readonly authors?: readonly string[];
  readonly language?: string;
}

const languages = new Map([
  ["english", "en"],
  ["german", "de"],
  ["french", "fr"],
  ["spanish", "es"],
  ["italian", "it"],
  ["portuguese", "pt"],
  ["dutch", "nl"],
  ["japanese", "ja"],
  ["chinese", "zh"],
]);

/** Takes off the frame of Project Gutenberg or Aozora Bunko, by rule; other text is its own work. */
export function takeOffFrame(ledger: FileLedger): Framed {
  return gutenberg(ledger) ?? aozora(ledger) ?? { from: 0, to: ledger.text.length, aozora: false };
}

function gutenberg(ledger: FileLedger): Framed | undefined {
  const { text } = ledger;
  const start = /^\*\*\*\s*START OF (?:THE|THIS) PROJECT GUTENBERG[^\n]*(?:\n(?!\s*\n)[^\n]*)*?\*\*\*[ \t]*\r?$/mu.exec(
    text,
  );
  const end = /^(?:\*\*\*\s*END OF (?:THE|THIS) PROJECT GUTENBERG|End of (?:the )?Project Gutenberg)/mu.exec(text);
  if (!start && !end) return undefined;
  const head = start ? text.slice(0, start.index) : "";
  const field = (name: string): string | undefined => new RegExp(`^${name}:[ \\t]*(.+?)\\s*$`, "mu").exec(head)?.[1];
  let from = start ? start.index + start[0].length : 0;
  const to = end && end.index >= from ? end.index : text.length;
  ledger.skip("gutenberg-licence", 0, from);
  ledger.skip("gutenberg-licence", to, text.length);
  const producers =
    /^\s*(?:E-text prepared|Produced|Transcribed|This eBook was produced) by (?:[^\n]|\n(?!\s*\n))*/u.exec(
      text.slice(from, to),
    );
  if (producers) {
    ledger.skip("transcriber-note", from, from + producers[0].length);
    from += producers[0].length;
  }
  const title = field("Title");
  const author = field("Author");
  const language = languages.get(field("Language")?.toLowerCase() ?? "");
  return {
    from,
    to,
    aozora: false,
    ...(title === undefined ? {} : { title }),
    ...(author === undefined ? {} : { authors: [author] }),
    ...(language === undefined ? {} : { language }),
  };
}

/** Aozora Bunko: title and author, a key of the marks between two rules of dashes, and the edition at the end. */
function aozora(ledger: FileLedger): Framed | undefined {
  const { text } = ledger;
  const key = /^-{20,}\r?\n[^]*?【テキスト中に現れる記号について】[^]*?\n-{20,}[ \t]*(?=\r?\n|$)/mu.exec(
    text.slice(0, 8_000),
  );
  const foot = /^底本：/mu.exec(text);
  if (!key && !(foot && text.includes("［＃"))) return undefined;
  const head = (key ? text.slice(0, key.index) : "")
    .split(/\r?\n/u)
    .map((line) => line.trim())
    .filter(Boolean);
  const from = key ? key.index + key[0].length : 0;
  const to = foot && foot.index >= from ? foot.index : text.length;
  ledger.skip("aozora-header", 0, from);
  ledger.skip("aozora-footer", to, text.length);
  const [title] = head;
  const author = head.length > 1 ? head[head.length - 1] : undefined;
  return {
    from,
    to,
    aozora: true,
    language: "ja",
    ...(title === undefined ? {} : { title }),
    ...(author === undefined ? {} : { authors: [author] }),
  };
}

/** Title and author that a plain text opens with: a short first line, and a line that begins with “by”. */
export function openingCredits(text: string, from: number, to: number): { title?: string; authors?: string[] } {
  const lines = linesOf(text, from, Math.min(to, from + 2_000))
    .map(({ start, end }) => text.slice(start, end).trim())
    .filter((line) => line !== "")
    .slice(0, 4);
  const author = lines.map((line) => /^by\s+(\p{Lu}.{1,60})$/iu.exec(line)?.[1]).find((name) => name !== undefined);
  const [first] = lines;
  if (author === undefined || first === undefined || first.length > 100) return {};
  return { title: first, authors: [author.replace(/[.\s]+$/u, "")] };
}
