import type { ComponentProps } from "react";

const base =
  "inline-flex items-center justify-center gap-2 rounded-md px-4 min-h-11 text-sm font-medium transition-colors disabled:opacity-50";
const looks = {
  primary: "bg-accent text-on-accent hover:opacity-90",
  plain: "border border-line bg-surface text-ink hover:border-accent hover:text-accent",
  quiet: "text-soft hover:text-ink hover:bg-sunken",
  danger: "bg-bad text-paper hover:opacity-90",
} as const;
export type ButtonLook = keyof typeof looks;

/** Class names of a button, for links that look like one. */
export const buttonClass = (look: ButtonLook): string => `${base} ${looks[look]}`;

export function Button({ look = "plain", className = "", ...rest }: ComponentProps<"button"> & { look?: ButtonLook }) {
  return <button type="button" className={`${buttonClass(look)} ${className}`} {...rest} />;
}
