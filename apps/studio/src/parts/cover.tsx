import { useState } from "react";
import { coverUrl } from "../api/queries.ts";
import { useTexts } from "../texts/use-texts.ts";

/** Colours of bookcloth; a book without a picture always gets the same one. */
const cloths = ["bg-[#2b4a6f]", "bg-[#5b3a4a]", "bg-[#3d5a45]", "bg-[#6a4a2c]", "bg-[#40405f]"];

function clothOf(title: string): string {
  let sum = 0;
  for (const character of title) sum += character.codePointAt(0) ?? 0;
  return cloths[sum % cloths.length] ?? "";
}

/** A book's cover, or a plain binding with its title (or its first letter) where it has none. */
export function Cover({
  project,
  size,
}: {
  project: { readonly id: string; readonly title: string; readonly hasCover: boolean };
  size: "small" | "large";
}) {
  const { t } = useTexts();
  const [broken, setBroken] = useState(false);
  const frame = `${size === "small" ? "w-14 sm:w-16" : "w-28 sm:w-40"} aspect-2/3 shrink-0 rounded-sm shadow-md overflow-hidden`;
  if (project.hasCover && !broken)
    return (
      <img
        src={coverUrl(project.id)}
        alt={t("library.coverOf", { title: project.title })}
        className={`${frame} object-cover bg-sunken`}
        onError={() => setBroken(true)}
      />
    );
  return (
    <div
      aria-hidden="true"
      className={`${frame} ${clothOf(project.title)} flex border-s-4 border-black/25 text-white/90`}
    >
      {size === "small" ? (
        // A whole title would be too small to read; it stands beside the cover anyway.
        <span className="m-auto font-book text-2xl leading-none">{/[\p{L}\p{N}]/u.exec(project.title)?.[0]}</span>
      ) : (
        <span className="m-auto line-clamp-5 px-1.5 text-center font-book text-sm leading-snug break-words sm:text-base">
          {project.title}
        </span>
      )}
    </div>
  );
}
