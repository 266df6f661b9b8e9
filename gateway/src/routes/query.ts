/** The parameters of a query, each of which came once. */
export type Query = ReadonlyMap<string, string>;
