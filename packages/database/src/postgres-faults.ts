import { AppError, type ErrorCode } from "@katari/core";
import { databaseCode } from "./availability.ts";

/** Where a connection goes, for messages. Never holds the password. */
export interface PostgresPlace {
  /** Name of the setting that holds the address. */
  readonly setting: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/** The oldest release that is supported: 15, as PostgreSQL counts. */
const oldestVersion = 150_000;

export interface ServerFacts {
  /** `server_version_num`: 150018 is 15.18. */
  readonly version: number;
  readonly encoding: string;
  readonly standby: boolean;
}

/** Throws when a server is too old, does not keep text as UTF-8, or takes no writes. */
export function checkServer(facts: ServerFacts, place: PostgresPlace): void {
  const at = addressOf(place);
  if (facts.version < oldestVersion)
    throw new AppError("unsupported-platform", `PostgreSQL at ${at} is version ${versionName(facts.version)}.`, {
      cure: `Katari needs PostgreSQL 15 or newer: upgrade the server, or name another in ${place.setting}.`,
    });
  if (facts.encoding !== "UTF8")
    throw new AppError("invalid-argument", `The database "${place.database}" keeps text as ${facts.encoding}.`, {
      cure: `Katari needs UTF8: create a database with ENCODING 'UTF8' TEMPLATE template0 and name it in ${place.setting}.`,
    });
  if (facts.standby)
    throw new AppError("unavailable", `PostgreSQL at ${at} is a standby, which takes no writes.`, {
      cure: `Name the primary in ${place.setting}.`,
      retryable: true,
    });
}

const versionName = (version: number): string => `${Math.floor(version / 10_000)}.${version % 10_000}`;
const addressOf = ({ host, port }: PostgresPlace): string => (host.startsWith("/") ? host : `${host}:${port}`);

interface Line {
  readonly code: ErrorCode;
  readonly message: (place: PostgresPlace) => string;
  readonly cure: (place: PostgresPlace) => string;
  /** Whether it may go away by itself. */
  readonly retryable?: true;
}

const unreachable: Line = {
  code: "unavailable",
  message: (place) => `PostgreSQL at ${addressOf(place)} cannot be reached.`,
  cure: (place) => `Check that it runs and that host and port in ${place.setting} are right.`,
  retryable: true,
};
const unknownHost: Line = {
  code: "unavailable",
  message: (place) => `There is no host "${place.host}".`,
  cure: (place) => `Check the host in ${place.setting}.`,
  retryable: true,
};
const refused: Line = {
  code: "unauthenticated",
  message: (place) => `PostgreSQL at ${addressOf(place)} refuses the user "${place.user}" or its password.`,
  cure: (place) => `Check user and password in ${place.setting}.`,
};
const forbidden: Line = {
  code: "no-permission",
  message: (place) => `The user "${place.user}" may not use the database "${place.database}" as Katari has to.`,
  cure: (place) =>
    `Let the database's owner run: GRANT CONNECT, CREATE ON DATABASE "${place.database}" TO "${place.user}"; GRANT USAGE, CREATE ON SCHEMA public TO "${place.user}"; or name another user in ${place.setting}.`,
};
const certificate: Line = {
  code: "unavailable",
  message: (place) => `The certificate of PostgreSQL at ${addressOf(place)} is not trusted.`,
  cure: (place) => `Name its authority with sslrootcert in ${place.setting}, or check host and date.`,
};
const full: Line = {
  code: "unavailable",
  message: (place) => `PostgreSQL at ${addressOf(place)} has no connection left.`,
  cure: (place) => `Raise its max_connections, or lower the number of connections that go with ${place.setting}.`,
  retryable: true,
};

/** By SQLSTATE, or by the code that Node's network and TLS give. */
const lines: Readonly<Record<string, Line>> = {
  "28P01": refused,
  "28000": refused,
  "3D000": {
    code: "not-found",
    message: (place) => `PostgreSQL at ${addressOf(place)} has no database "${place.database}".`,
    cure: (place) => `Create it (createdb -E UTF8 ${place.database}), or correct the name in ${place.setting}.`,
  },
  "42501": forbidden,
  "53300": full,
  "57P03": { ...unreachable, message: (place) => `PostgreSQL at ${addressOf(place)} is starting or shutting down.` },
  // "unsupported startup parameter", as poolers say that share connections between statements
  "08P01": {
    code: "invalid-argument",
    message: (place) => `What answers at ${addressOf(place)} does not take PostgreSQL's own start of a connection.`,
    cure: (place) => `Name PostgreSQL itself in ${place.setting}, or a pooler that keeps sessions.`,
  },
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
  SELF_SIGNED_CERT_IN_CHAIN: certificate,
  DEPTH_ZERO_SELF_SIGNED_CERT: certificate,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: certificate,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: certificate,
  CERT_HAS_EXPIRED: certificate,
  ERR_TLS_CERT_ALTNAME_INVALID: certificate,
};

/** Errors of the driver without a code, by their text. */
const texts: readonly (readonly [RegExp, Line])[] = [
  [
    /does not support SSL/,
    {
      code: "unavailable",
      message: (place) => `PostgreSQL at ${addressOf(place)} does not speak TLS.`,
      cure: (place) => `Switch TLS on there, or take sslmode out of ${place.setting}.`,
    },
  ],
  [
    /password must be a string/,
    { ...refused, message: (place) => `PostgreSQL at ${addressOf(place)} wants a password for "${place.user}".` },
  ],
];

/** What a failed start means to the person who set it up: one line, and the setting to change. */
export function connectionFault(error: unknown, place: PostgresPlace): AppError {
  if (error instanceof AppError) return error;
  const message = error instanceof Error ? error.message : "";
  const line = lines[databaseCode(error) ?? ""] ?? texts.find(([text]) => text.test(message))?.[1] ?? unreachable;
  return new AppError(line.code, line.message(place), {
    cure: line.cure(place),
    retryable: line.retryable ?? false,
    cause: error,
  });
}
