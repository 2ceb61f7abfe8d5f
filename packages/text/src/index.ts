export { segmentBlock, type Segmentation, type SkippedRange } from "./segmentation/segment-block.ts";
export { createSpeaker, type SpeakInput, type Speaker } from "./speaker.ts";
export {
  emptyPronunciation,
  loadPronunciation,
  type Pronunciation,
  type Reading,
} from "./pronunciation/pronunciation.ts";
export { type Vocabulary } from "./spoken/vocabulary.ts";
export { detectLanguage } from "./language.ts";
export { textRevision } from "./revision.ts";
export { groupUtterances, type SpokenSegment, type UtteranceLimits } from "./utterances.ts";
export { spansWithin } from "./segmentation/spans-within.ts";
export {
  analyzeText,
  analyzeTree,
  defaultUtteranceLimits,
  type Analysis,
  type AnalyzedBlock,
  type AnalyzedSegment,
  type AnalyzedSkip,
  type AnalyzedWord,
  type AnalyzeOptions,
} from "./analyze.ts";
