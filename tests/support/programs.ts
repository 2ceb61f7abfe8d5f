import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

/** Runs a program to its end; throws with what it wrote when its exit code is none of `codes`. */
export async function run(
  program: string,
  args: readonly string[],
  options: { readonly codes?: readonly number[] } = {},
): Promise<{ stdout: string; stderr: string }> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (!(options.codes ?? [0]).includes(code ?? -1)) throw new Error(`${program} ended with ${code}: ${stderr}`);
  return { stdout, stderr };
}
