const command = /\bkatari (?=(?:narrate|serve|analyze|doctor|model-server|voices|--help)\b)/gu;

/**
 * Names commands in a message the way the person can type them: a clone has no `katari` on the path, npm runs it (and
 * says so with KATARI_CALLED_FROM).
 */
export function asTyped(text: string, environment: Readonly<Record<string, string | undefined>>): string {
  return environment["KATARI_CALLED_FROM"] === undefined ? text : text.replaceAll(command, "npm run katari -- ");
}
