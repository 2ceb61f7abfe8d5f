export { checkSourceKind, readSource, type ReadSourceInput } from "./read-source.ts";
