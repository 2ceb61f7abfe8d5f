/**
 * Version of the text stage's rules and built-in words, recorded with every spoken form. It is raised by every change
 * that can alter what is said; finished takes stay valid.
 */
export const textRevision = "en-2";
