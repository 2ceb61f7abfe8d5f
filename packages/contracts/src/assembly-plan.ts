import type { AssemblyPlan } from "@katari/core";
import { z } from "zod";

const samples = z.int().nonnegative();
const pauseMs = z.number().nonnegative();

/** The object that an export task's `planKey` names; see `AssemblyPlan` in core. */
export const assemblyPlanSchema = z.object({
  v: z.literal(1),
  sampleRate: z.int().positive(),
  leadInMs: pauseMs,
  leadOutMs: pauseMs,
  documents: z.array(
    z.object({
      documentId: z.string(),
      title: z.string(),
      segments: z.array(
        z.object({
          segmentId: z.string(),
          clips: z.array(z.object({ audioKey: z.string(), startSamples: samples, endSamples: samples })),
          words: z.array(z.object({ clip: samples, startSamples: samples, endSamples: samples })),
          pauseMs,
        }),
      ),
    }),
  ),
  tags: z.object({
    title: z.string(),
    authors: z.array(z.string()),
    narrator: z.string(),
    language: z.string(),
    published: z.string().exactOptional(),
    publisher: z.string().exactOptional(),
    description: z.string().exactOptional(),
    copyright: z.string().exactOptional(),
    comment: z.string().exactOptional(),
  }),
  cover: z.object({ objectKey: z.string(), mediaType: z.enum(["image/jpeg", "image/png"]) }).exactOptional(),
}) satisfies z.ZodType<AssemblyPlan>;
