import { problemSchema } from "@katari/contracts";
import { describe, expect, it } from "vitest";
import { en } from "./en.ts";
import { errorTextsJa, shownErrorOf } from "./error-texts.ts";
import { ja } from "./ja.ts";
import { chooseLanguage } from "./language.ts";

/** Every text with its path, `a.b.c`. */
function leaves(node: unknown, path = ""): [string, string][] {
  if (typeof node === "string") return [[path, node]];
  return Object.entries(node as object).flatMap(([key, value]) => leaves(value, path === "" ? key : `${path}.${key}`));
}
const placeholders = (text: string): string[] =>
  [...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? "").sort();

describe("the catalogues", () => {
  const english = new Map(leaves(en));
  const japanese = new Map(leaves(ja));

  it("have the same keys", () => {
    expect([...japanese.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it("have no empty text", () => {
    for (const [path, text] of [...english, ...japanese]) expect([path, text.trim()]).not.toEqual([path, ""]);
  });

  it("fill in the same values", () => {
    for (const [path, text] of english)
      expect([path, placeholders(japanese.get(path) ?? "")]).toEqual([path, placeholders(text)]);
  });

  it("are Japanese in Japanese, but for names and what holds only values", () => {
    const foreign = [...japanese]
      .filter(([, text]) => !/[\u3040-\u30ff\u4e00-\u9fff]/.test(text))
      .map(([path]) => path);
    expect(foreign.sort()).toEqual(["app.name", "exports.making", "project.by"]);
  });

  it("have a Japanese text and cure for every error that the server can tell", () => {
    expect(Object.keys(errorTextsJa).sort()).toEqual([...problemSchema.shape.code.options].sort());
    for (const { message, cure } of Object.values(errorTextsJa)) {
      expect(message).toMatch(/。$/);
      expect(cure).toMatch(/。$/);
    }
  });
});

describe("errors", () => {
  it("are the server's words in English, and both in Japanese", () => {
    expect(shownErrorOf("disk-full", "The disk is full.", "Free some space.", "en")).toEqual({
      message: "The disk is full.",
      cure: "Free some space.",
    });
    expect(shownErrorOf("disk-full", "The disk is full.", "Free some space.", "ja")).toEqual({
      message: "ディスクの空きがありません。",
      cure: "空きを作ってから、もう一度試してください。",
      original: "The disk is full.",
    });
  });
});

describe("the language", () => {
  it("is the first wanted one that there is", () => {
    expect(chooseLanguage(["fr-FR", "ja-JP", "en"])).toBe("ja");
    expect(chooseLanguage(["EN-gb"])).toBe("en");
    // Not a prefix of another language's name.
    expect(chooseLanguage(["jav", "fr"])).toBe("en");
    expect(chooseLanguage([])).toBe("en");
  });
});
