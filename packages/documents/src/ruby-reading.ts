const kana = /^[\u3041-\u309F\u30A0-\u30FF\u30FC\uFF66-\uFF9F\s・]+$/u;

/** Whether a reading is one to be spoken in place of its base (kana); else it is a gloss, which is not voiced. */
export function isReading(text: string): boolean {
  return text.trim() !== "" && kana.test(text);
}
