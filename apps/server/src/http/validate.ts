import { AppError } from "@katari/core";
import { z } from "zod";

/**
 * Checks what came over the wire against its schema.
 *
 * @throws AppError `invalid-argument` that names each field and what is wrong with it.
 */
export function validate<T extends z.ZodType>(schema: T, value: unknown, what: string): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const faults = result.error.issues.slice(0, 5).map((issue) => {
    const path = issue.path.map(String).join(".");
    return path === "" ? issue.message : `${path}: ${issue.message}`;
  });
  throw new AppError("invalid-argument", `The ${what} is not valid. ${faults.join("; ")}.`, {
    cure: "Correct what is named and send it again.",
  });
}

/** An id in a path: anything longer or with other characters cannot be one of ours. */
const pathIdSchema = z.string().regex(/^[A-Za-z0-9._:-]{1,128}$/, "is not an id");

export const projectParamsSchema = z.object({ projectId: pathIdSchema });
export const documentParamsSchema = z.object({ projectId: pathIdSchema, documentId: pathIdSchema });
export const segmentParamsSchema = z.object({ projectId: pathIdSchema, segmentId: pathIdSchema });
export const conversionParamsSchema = z.object({ conversionId: pathIdSchema });
export const exportParamsSchema = z.object({ exportId: pathIdSchema });

/** `?documents=a&documents=b` or `?documents=a,b`; absent means all. */
export const documentsQuerySchema = z.object({
  documents: z
    .union([z.string(), z.array(z.string())])
    .transform((value) => (Array.isArray(value) ? value : [value]).flatMap((part) => part.split(",")).filter(Boolean))
    .pipe(z.array(pathIdSchema).max(10_000))
    .optional(),
});

/** The name of an uploaded file: a name, not a path. It is only ever shown and used to tell the format. */
export const uploadQuerySchema = z.object({
  fileName: z
    .string()
    .min(1, "is empty")
    .max(255, "has more than 255 characters")
    // oxlint-disable-next-line no-control-regex -- control characters are what is refused here
    .refine((name) => !/[/\\\u0000-\u001f\u007f]/u.test(name), "is not a plain file name"),
});

export const eventsQuerySchema = z.object({ after: z.coerce.number().int().nonnegative().optional() });

export const idempotencyKeySchema = z.string().min(1).max(255).optional();
