import type { CreatedProject } from "@katari/contracts";
import { ApiError, apiBase, problemToError } from "./client.ts";

/**
 * Sends a file as it is (the browser reads it in pieces) and tells how far it is, which `fetch` cannot.
 *
 * @param onProgress share that was sent, 0..1.
 * @throws ApiError; `cancelled` when `signal` fires.
 */
export function uploadBook(
  file: File,
  onProgress: (ratio: number) => void,
  signal: AbortSignal,
): Promise<CreatedProject> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `${apiBase}/projects?fileName=${encodeURIComponent(file.name)}`);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable && event.total > 0) onProgress(event.loaded / event.total);
    });
    request.addEventListener("load", () => {
      if (request.status === 201) resolve(JSON.parse(request.responseText) as CreatedProject);
      else reject(problemToError(request.status, request.responseText));
    });
    request.addEventListener("error", () =>
      reject(new ApiError("offline", "The server does not answer.", undefined, 0)),
    );
    request.addEventListener("abort", () => reject(new ApiError("cancelled", "The upload was stopped.", undefined, 0)));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(file);
  });
}
