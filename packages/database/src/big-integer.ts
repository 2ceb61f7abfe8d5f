import { AppError } from "@katari/core";

/** Reads a bigint column as a number. Times, sizes and counts stay far inside the safe range; anything else is a fault. */
export function parseBigInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new AppError("internal", `The number ${text} is too large to be read exactly.`);
  return value;
}
