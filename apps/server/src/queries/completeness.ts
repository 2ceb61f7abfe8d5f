import type { Completeness } from "@katari/contracts";
import {
  listDocuments,
  listFailedSegments,
  listSkippedTexts,
  listSourceFiles,
  sumSegmentsByState,
} from "@katari/database/statements";
import type { Db } from "@katari/database";

/** Rule of segments that hold no words, such as a row of asterisks: they are heard as a pause. */
const noWords = "no-words";

/**
 * Where every character of the source is: voiced, skipped, failed or waiting, from one snapshot (the caller's
 * transaction). The four add up to the characters of the files, or of the chosen documents.
 */
export async function completeness(
  trx: Db,
  input: { readonly projectId: string; readonly documents?: readonly string[] },
): Promise<Completeness> {
  const { projectId, documents } = input;
  const files = await listSourceFiles(trx, projectId);
  const chosen = (await listDocuments(trx, projectId)).filter((row) => documents?.includes(row.id) ?? true);
  const sums = await sumSegmentsByState(trx, input);
  const failed = await listFailedSegments(trx, input);
  const skipped = (await listSkippedTexts(trx, input)).map(({ rule, title, characters }) => ({
    rule,
    ...(title === null ? {} : { title }),
    characters,
  }));
  if (sums.silent > 0) skipped.push({ rule: noWords, characters: sums.silent });
  const failedCharacters = failed.reduce((sum, row) => sum + row.characters, 0);
  const whole = documents === undefined ? files : chosen;
  return {
    characters: whole.reduce((sum, each) => sum + each.characters, 0),
    voiced: sums.ready,
    waiting: sums.others - failedCharacters,
    skipped,
    failed: failed.map(({ id, text, reason, code, cure, characters }) => ({
      segmentId: id,
      text,
      reason,
      ...(code === null ? {} : { code }),
      ...(cure === null ? {} : { cure }),
      characters,
    })),
    files: files.map(({ path, characters }) => ({ path, characters })),
  };
}
