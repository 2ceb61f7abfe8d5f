import type { TextPlan, PlannedVoice, SegmentToSpeak } from "./text-planner.ts";
import { createSpeaker, defaultUtteranceLimits, groupUtterances, loadPronunciation, type Speaker } from "@katari/text";

/** Speakers of one thread: dictionaries are large, and a speaker remembers the words it has looked up. */
export interface SpeakerShelf {
  get(voice: PlannedVoice, language: string): Promise<Speaker>;
}

const keptSpeakers = 4;

export function createSpeakerShelf(): SpeakerShelf {
  const speakers = new Map<string, Promise<Speaker>>();
  return {
    get(voice, language) {
      const tag = tagFor(Object.keys(voice.pronunciation), language);
      const key = `${voice.key}/${tag ?? ""}`;
      const known = speakers.get(key);
      if (known !== undefined) return known;
      const made = loadPronunciation({ files: (tag === undefined ? {} : voice.pronunciation[tag]) ?? {} }).then(
        (pronunciation) => createSpeaker({ pronunciation, vocabulary: voice.vocabulary }),
      );
      speakers.set(key, made);
      // A voice that could not be read is tried again by the next request.
      made.catch(() => speakers.delete(key));
      for (const oldest of speakers.keys()) {
        if (speakers.size <= keptSpeakers) break;
        speakers.delete(oldest);
      }
      return made;
    },
  };
}

/** The tag that fits a language best: itself, one of the same primary language, or the voice's first. */
function tagFor(tags: readonly string[], language: string): string | undefined {
  const primary = (tag: string): string | undefined => tag.toLowerCase().split("-")[0];
  return tags.find((tag) => tag === language) ?? tags.find((tag) => primary(tag) === primary(language)) ?? tags[0];
}

/** Display text to spoken forms to utterances: what `analyze`, the inspector and the planner have in common. */
export async function planText(
  shelf: SpeakerShelf,
  request: { readonly voice: PlannedVoice; readonly segments: readonly SegmentToSpeak[] },
): Promise<TextPlan> {
  const { voice, segments } = request;
  const blocks = new Map<string, number>();
  const spoken = [];
  for (const { blockId, blockKind, language, text, spans, boundary } of segments) {
    const block = blocks.get(blockId) ?? blocks.size;
    blocks.set(blockId, block);
    const speaker = await shelf.get(voice, language);
    spoken.push({ block, boundary, spoken: speaker.speak({ text, language, spans, blockKind }) });
  }
  const utterances = groupUtterances(spoken, { ...defaultUtteranceLimits, maxTokens: voice.maxTokens });
  return {
    forms: spoken.map((segment) => segment.spoken),
    utterances: utterances.map(({ phonemes, parts }) => ({
      phonemes,
      parts: parts.map(({ segment, start, end, words }) => ({
        segmentId: segments[segment]?.id ?? "",
        start,
        end,
        words,
      })),
    })),
  };
}
