export { readSource, type ReadSourceInput } from "./read-source.ts";
