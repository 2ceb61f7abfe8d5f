import {
  AppError,
  type AssemblyPlan,
  type Clip,
  type PauseSettings,
  type PlannedSegment,
  type ProgrammeTags,
} from "@katari/core";
import type { Db } from "@katari/database";
import {
  findProject,
  listDocuments,
  listSegments,
  type ProjectRow,
  type SegmentRow,
  type WantedTakeRow,
} from "@katari/database/statements";
import { pauseAfter, pausesOf, soundMarginMs } from "../assembly/pauses.ts";

/** Silence before the first and after the last sound of a programme. */
const leadInMs = 500;
const leadOutMs = 1_000;
const pageSize = 500;
/** Gaps that the refusal names. */
const namedGaps = 3;

export interface SnapshotPlan {
  readonly plan: AssemblyPlan;
  readonly project: ProjectRow;
}

interface Narrator {
  readonly narrator: string;
  readonly attribution: string;
}

/**
 * Writes the assembly plan of some documents from one snapshot of the database (the caller's transaction). Throws
 * `incomplete`, naming the first gaps, when a segment that is to be heard has no sound, and `conflict` when takes differ
 * in their sample rate. Awaits nothing but statements.
 */
export async function assemblyPlan(
  trx: Db,
  input: {
    readonly projectId: string;
    readonly ownerId: string;
    /** Ids in reading order. */
    readonly documentIds: readonly string[];
    readonly narrator: Narrator;
  },
): Promise<SnapshotPlan> {
  const project = await findProject(trx, input);
  if (project === undefined) throw new AppError("not-found", "There is no such project.", { cure: "Check its id." });
  const pauses = pausesOf(project.settings);
  const chosen = (await listDocuments(trx, input.projectId)).filter((row) => input.documentIds.includes(row.id));
  const gaps: { readonly title: string; readonly text: string }[] = [];
  let missing = 0;
  let sampleRate: number | undefined;
  const documents = [];
  for (const document of chosen) {
    const rows: SegmentRow[] = [];
    for (let after = -1; ;) {
      const page = await listSegments(trx, { documentId: document.id, after, limit: pageSize });
      rows.push(...page);
      const last = page.at(-1);
      if (page.length < pageSize || last === undefined) break;
      after = last.ordinal;
    }
    const heard = rows.filter((row) => row.voiced !== false);
    for (const row of heard) {
      if (isReady(row)) continue;
      missing++;
      if (gaps.length < namedGaps) gaps.push({ title: document.title, text: row.text });
    }
    if (missing > 0) continue;
    for (const row of heard)
      for (const take of row.takes) {
        sampleRate ??= take.sampleRate ?? undefined;
        if (take.sampleRate !== sampleRate)
          throw new AppError("conflict", "The project has takes of different sample rates.", {
            cure: "Convert all of it with one voice.",
          });
      }
    const segments = plannedSegments(rows, pauses);
    documents.push({ documentId: document.id, title: document.title, segments });
  }
  if (missing > 0) throw incomplete(gaps, missing);
  if (sampleRate === undefined)
    throw new AppError("incomplete", "There is nothing to be heard in the chosen documents.", {
      cure: "Choose documents with text, and convert them first.",
    });
  const cover = coverOf(project);
  return {
    project,
    plan: { v: 1, sampleRate, leadInMs, leadOutMs, documents, tags: tagsOf(project, input.narrator), ...cover },
  };
}

export const isReady = (row: SegmentRow): boolean =>
  row.takes.length > 0 && row.takes.every((take) => take.audioKey !== null && take.part !== null);

function incomplete(gaps: readonly { readonly title: string; readonly text: string }[], missing: number): AppError {
  const named = gaps.map(({ title, text }) => `${title}: “${text.length > 60 ? `${text.slice(0, 60)}…` : text}”`);
  const more = missing - gaps.length;
  const list = named.join("; ") + (more > 0 ? `; and ${more} more` : "");
  return new AppError(
    "incomplete",
    `${missing} ${missing === 1 ? "sentence has" : "sentences have"} no sound yet: ${list}.`,
    {
      cure: "Finish the conversion, retry what failed, or export only the documents that are ready.",
      details: { missing },
    },
  );
}

/**
 * Segments with their clips and pauses. A segment that is only a pause (a scene break) has no clips, and gives its
 * length to the silence where it is longer than what stands there already.
 */
function plannedSegments(rows: readonly SegmentRow[], pauses: PauseSettings): readonly PlannedSegment[] {
  const heard = rows.map((row) => row.voiced !== false);
  const lastHeard = heard.lastIndexOf(true);
  const planned: { -readonly [K in keyof PlannedSegment]: PlannedSegment[K] }[] = [];
  for (const [index, row] of rows.entries()) {
    const pauseMs = pauseAfter(row.boundary, index === lastHeard, pauses);
    if (heard[index] === true) {
      planned.push({ segmentId: row.id, pauseMs, ...clipsOf(row.takes) });
      continue;
    }
    const before = planned.at(-1);
    if (before !== undefined && index < lastHeard) before.pauseMs = Math.max(before.pauseMs, pauseMs);
  }
  return planned;
}

function clipsOf(takes: readonly WantedTakeRow[]): Pick<PlannedSegment, "clips" | "words"> {
  const clips: Clip[] = [];
  const words: PlannedSegment["words"][number][] = [];
  for (const take of takes) {
    if (take.audioKey === null || take.part === null || take.sampleRate === null) continue;
    for (const [startSamples, endSamples] of take.part.words)
      words.push({ clip: clips.length, startSamples, endSamples });
    clips.push(clipOf(take.audioKey, take.part, take.sampleRate));
  }
  return { clips, words };
}

/** The sound of a part with a short margin, inside what belongs to the part. */
export function clipOf(audioKey: string, part: NonNullable<WantedTakeRow["part"]>, sampleRate: number): Clip {
  const margin = Math.round((soundMarginMs * sampleRate) / 1_000);
  return {
    audioKey,
    startSamples: Math.max(part.startSamples, part.soundStartSamples - margin),
    endSamples: Math.min(part.endSamples, part.soundEndSamples + margin),
  };
}

function tagsOf(project: ProjectRow, { narrator, attribution }: Narrator): ProgrammeTags {
  const text = (key: string): string | undefined => {
    const value = project.metadata[key];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const optional = {
    published: text("published"),
    publisher: text("publisher"),
    description: text("description"),
    copyright: text("rights"),
  };
  const known = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined));
  return {
    title: project.title,
    authors: project.authors,
    narrator,
    language: project.language,
    comment: `Narrated by a synthetic voice with Katari. ${attribution}`.trim(),
    ...known,
  };
}

function coverOf(project: ProjectRow): Pick<AssemblyPlan, "cover"> {
  const { cover_key: objectKey, cover_media_type: mediaType } = project;
  if (objectKey === null || (mediaType !== "image/jpeg" && mediaType !== "image/png")) return {};
  return { cover: { objectKey, mediaType } };
}
