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
  any(
    "speck specks fraction fractions quantity amount hole holes portion portions crack cracks creature creatures insect insects grain grains crystals drop drops degree fragment fragments organisms animals description descriptions study account accounts particles details detail scrutiny quantities particulars traces inspection examination attention",
    after,
  )
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

/** Two syllables, or three, where it stands before what it describes or for those it describes: `an aged man`. */
const attributive =
  (long: string): SenseRule =>
  ({ before, after }) =>
    any("a an the this that these those my your his her its our their most many all", before) &&
    !any("by with for", after)
      ? long
      : undefined;
const invalid: SenseRule = ({ before, after }) =>
  any("is are was were be been become null declared render rendered legally", before) ||
  any(
    "argument arguments claim claims contract will passport ticket vote votes reason excuse assumption conclusion input date",
    after,
  )
    ? "ɪnvˈæləd"
    : undefined;
/** At the head of an order: `Polish the silver.` */
const polish: SenseRule = ({ before, after }) =>
  before === "" && any("the your my his her it this that these those them", after) ? "pˈɑlɪʃ" : undefined;
/** Where somebody lives; on the air or alive only behind words that say so. */
const live: SenseRule = ({ before, after }) =>
  any("in on with at by under among here there together alone apart happily quietly upon within without", after) &&
  !any("is are was were be been it broadcast filmed recorded went go goes going come comes came a the", before)
    ? "lˈɪv"
    : undefined;

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
  ["aged", attributive("ˈAʤᵻd")],
  ["blessed", attributive("blˈɛsᵻd")],
  ["beloved", attributive("bəlˈʌvᵻd")],
  ["invalid", invalid],
  ["polish", polish],
  ["live", live],
  ["closer", () => "klˈOsəɹ"],
  // Misaki's dictionaries have the sound of the weapon for the gesture, which fiction has far more of.
  ["bowed", () => "bˈWd"],
  ["bowing", () => "bˈWɪŋ"],
]);
