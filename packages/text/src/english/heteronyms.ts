import type { Neighbours } from "./part-of-speech.ts";

/**
 * Words whose reading hangs on their sense, not on their part of speech, or whose second reading Misaki's dictionaries
 * lack. Each rule looks at the words around and gives the phonemes; undefined leaves it to the dictionary.
 */
type SenseRule = (near: Neighbours) => string | undefined;

const any = (list: string, ...words: readonly string[]): boolean =>
  words.some((word) => ` ${list} `.includes(` ${word} `) && word !== "");

const lead: SenseRule = ({ before, before2, after }) =>
  any(
    "pipe pipes pencil pencils paint bullet bullets shot roof roofs mine mines weight weights poisoning glass ore coffin",
    after,
  ) ||
  (before === "of" && !any("a the in", after) && !any("in one", before2)) ||
  any("molten white red like as", before)
    ? "lˈɛd"
    : undefined;
const row: SenseRule = ({ before, before2, after }) =>
  any("blazing terrible awful dreadful frightful fearful infernal hell", before) ||
  (before === "a" && any("have had having making make made kick kicked kicking", before2) && after !== "of")
    ? "ɹˈW"
    : undefined;
const bow: SenseRule = ({ before, before2, after, after2 }) =>
  any("low deep slight polite formal little stiff ironical graceful", before) ||
  any("take took make made with", before2) ||
  any("of wave windows", after) ||
  any("ship's boat's", before) ||
  (after === "and" && after2 === "stern")
    ? "bˈW"
    : undefined;
const dove: SenseRule = ({ before, after }) =>
  any("into in under beneath down off through after for headlong", after) && before !== "the" && before !== "a"
    ? "dˈOv"
    : undefined;
/** The fish only where there is fishing or cooking; the voice and the instrument everywhere else. */
const bass: SenseRule = ({ before, after }) =>
  any("sea striped caught catch fresh fried grilled largemouth freshwater", before) || any("fishing", after)
    ? "bˈæs"
    : "bˈAs";
const sewer: SenseRule = ({ before }) => (any("skilled expert fine good", before) ? "sˈOəɹ" : undefined);
const tear: SenseRule = ({ before, after }) =>
  any("to will would could can not and", before) &&
  any("down up off out at it him her them apart open away the my his me himself", after)
    ? "tˈɛɹ"
    : undefined;
const wound: SenseRule = ({ before, after }) =>
  any("up round around through about along its his their down", after) && !any("a the his her my this that", before)
    ? "wˈWnd"
    : undefined;
const wind: SenseRule = ({ after, before }) => (any("up", after) && !any("the a", before) ? "wˈInd" : undefined);
const minute: SenseRule = ({ before, after }) =>
  any("very so most extremely too infinitely", before) ||
  (before.endsWith("ly") && after === "") ||
  any("particles details detail scrutiny quantities particulars traces inspection examination attention", after)
    ? "mInˈut"
    : "mˈɪnət";
/** The end of something (`the close of day`); beside and near have the other sound. */
const close: SenseRule = ({ before, before2, after }) => {
  if ((before === "the" && after === "of") || (before === "a" && any("to at", before2))) return "klˈOz";
  if (
    any(
      "a an the this that such his her its their our my no any so too very quite rather as came come drew stood kept keep sat lay",
      before,
    )
  )
    return "klˈOs";
  return any("to by behind beside upon together enough", after) && !any("to will would could can must not", before)
    ? "klˈOs"
    : undefined;
};

export const senseRules: ReadonlyMap<string, SenseRule> = new Map([
  ["lead", lead],
  ["row", row],
  ["bow", bow],
  ["dove", dove],
  ["bass", bass],
  ["sewer", sewer],
  ["tear", tear],
  ["wound", wound],
  ["wind", wind],
  ["minute", minute],
  ["close", close],
  ["closer", () => "klˈOsəɹ"],
  // Misaki's dictionaries have the sound of the weapon for the gesture, which fiction has far more of.
  ["bowed", () => "bˈWd"],
  ["bowing", () => "bˈWɪŋ"],
]);
