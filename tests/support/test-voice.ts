import { writeTestVoice } from "@katari/testkit/models";
import { join } from "node:path";
import { katari, type Place } from "./katari.ts";

/** Installs the deterministic test voice under the id `test` in the place's own cache. */
export async function installTestVoice(place: Place): Promise<void> {
  const source = join(place.folder, "test-voice");
  await writeTestVoice(source);
  const result = await katari(["voices", "add", "test", "--from", source], place);
  if (result.code !== 0) throw new Error(result.stderr);
}
