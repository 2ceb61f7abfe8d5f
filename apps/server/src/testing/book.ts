import type { ImportedDocument, ImportIndex } from "@katari/contracts";
import { countCharacters } from "@katari/core";
import type { ObjectStore } from "@katari/storage";

/** A chapter as paragraphs of sentences; a sentence of "* * *" is a scene break. */
export interface Chapter {
  readonly title: string;
  readonly paragraphs: readonly (readonly string[])[];
}

const file = "book.xhtml";

/**
 * Writes what an import leaves in the store: an index, one object a chapter, and a skipped title page of 12 characters.
 * Ids are made from the project and the place, as the importer does. Returns the index's key.
 */
export async function putImport(
  store: ObjectStore,
  input: { readonly projectId: string; readonly taskId: string; readonly chapters: readonly Chapter[] },
): Promise<string> {
  const { projectId, taskId } = input;
  const put = (key: string, value: unknown) => store.put(key, new TextEncoder().encode(JSON.stringify(value)));
  const documents: ImportIndex["documents"] = [];
  for (const [index, chapter] of input.chapters.entries()) {
    const id = `${projectId}-${index + 1}`;
    const blocks = chapter.paragraphs.map((sentences, at) => blockOf(`${id}-${at + 1}`, sentences));
    const chapterObject: ImportedDocument = { v: 1, id, blocks };
    const objectKey = `imports/${taskId}/${index + 1}.json`;
    await put(objectKey, chapterObject);
    const segments = blocks.flatMap((block) => block.segments);
    documents.push({
      id,
      title: chapter.title,
      objectKey,
      characters: segments.reduce((sum, segment) => sum + segment.characters, 0),
      segments: segments.length,
      anchor: { file },
      language: "en-US",
    });
  }
  const titlePage = 12;
  const characters = documents.reduce((sum, document) => sum + document.characters, titlePage);
  const index: ImportIndex = {
    v: 1,
    format: "epub",
    metadata: { title: "A Small Book", authors: ["Ann Author"], language: "en-US" },
    files: [{ path: file, characters }],
    documents,
    skipped: [
      { rule: "titlepage", title: "Title page", range: { file, start: 0, end: titlePage }, characters: titlePage },
    ],
  };
  const indexKey = `imports/${taskId}/index.json`;
  await put(indexKey, index);
  return indexKey;
}

function blockOf(id: string, sentences: readonly string[]): ImportedDocument["blocks"][number] {
  const text = sentences.join(" ");
  let start = 0;
  const scene = text === "* * *";
  const segments = sentences.map((sentence, index) => {
    const from = start;
    start += sentence.length + 1;
    const last = index === sentences.length - 1;
    const kind = scene ? ("scene-break" as const) : last ? ("paragraph" as const) : ("sentence" as const);
    return {
      id: `${id}-${index + 1}`,
      start: from,
      end: from + sentence.length,
      text: sentence,
      boundary: { kind },
      characters: countCharacters(sentence),
    };
  });
  return {
    id,
    kind: scene ? "scene-break" : "paragraph",
    language: "en-US",
    text,
    spans: [],
    range: { file, start: 0, end: text.length },
    anchor: { file },
    segments,
    skipped: [],
  };
}
