import { sql, type RawBuilder } from "kysely";

/**
 * `= any(…)` of texts that are given as one parameter, whatever their number. As an array, not as `in (select …)`: the
 * planner takes such a query for a hundred rows, which is enough to read the whole table, and under an `or` it always
 * does; an array is looked up in the index.
 */
export function isOneOf(values: readonly string[]): RawBuilder<boolean> {
  return sql<boolean>`= any(array(select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb)))`;
}
