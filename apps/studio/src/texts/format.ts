/** Figures as people of a language read them. `locale` is a BCP 47 tag. */

const part = (locale: string, unit: "hour" | "minute" | "second", value: number): string =>
  new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short" }).format(value);

/** A length in words: hours and minutes, minutes, or seconds when it is shorter than a minute. */
export function formatLength(lengthMs: number, locale: string): string {
  const seconds = Math.max(0, Math.round(lengthMs / 1_000));
  if (seconds < 60) return part(locale, "second", seconds);
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return part(locale, "minute", minutes);
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (rest === 0) return part(locale, "hour", hours);
  return `${part(locale, "hour", hours)}${locale.startsWith("ja") ? "" : " "}${part(locale, "minute", rest)}`;
}

/** A share of a whole in per cent. 100 is only said of what is whole, 0 only of what has not begun. */
export function formatPercent(done: number, total: number, locale: string): string {
  const exact = total > 0 ? done / total : 0;
  const percent = exact >= 1 ? 100 : exact <= 0 ? 0 : Math.min(99, Math.max(1, Math.round(exact * 100)));
  return new Intl.NumberFormat(locale, { style: "percent" }).format(percent / 100);
}

export function formatCount(value: number, locale: string): string {
  return new Intl.NumberFormat(locale).format(value);
}

/** A file's size in MB (10⁶ bytes), or kB below one. */
export function formatSize(sizeBytes: number, locale: string): string {
  const [unit, size] =
    sizeBytes >= 1e9 ? ["gigabyte", 1e9] : sizeBytes >= 1e6 ? ["megabyte", 1e6] : (["kilobyte", 1e3] as const);
  const value = sizeBytes / size;
  return new Intl.NumberFormat(locale, {
    style: "unit",
    unit,
    unitDisplay: "short",
    maximumFractionDigits: value < 10 ? 1 : 0,
  }).format(value);
}

export function formatDate(atMs: number, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(atMs);
}

/** The language's own name in the reader's language; the tag itself when there is none. */
export function formatLanguage(tag: string, locale: string): string {
  try {
    return new Intl.DisplayNames(locale, { type: "language" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
