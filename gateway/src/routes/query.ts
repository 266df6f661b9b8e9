/** The parameters of a query, without duplicates. */
export type Query = ReadonlyMap<string, string>;
