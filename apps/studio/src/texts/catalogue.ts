import type { en } from "./en.ts";

type Texts<T> = { readonly [K in keyof T]: T[K] extends string ? string : Texts<T[K]> };

/** The shape of every language's texts: that of the English ones. */
export type Catalogue = Texts<typeof en>;

export const languages = ["en", "ja"] as const;
export type Language = (typeof languages)[number];
