/**
 * One line of the access table: a request, and what each caller is answered.
 *
 * `expect` has one letter a caller, in the order of `COLUMNS` (cast.ts), in groups:
 * system (admin manager member reader service), owner's project (the same five), lessee's project (the same five),
 * outsiders (another project's admin, a service account, no role, domain admin, unscoped), elevated service account.
 *
 * | letter | answer                                                            |
 * | ------ | ----------------------------------------------------------------- |
 * | A      | `ok`; of a list: every row, of every tenant                        |
 * | F      | a list with the rows of the caller's project alone                 |
 * | E      | a list with nothing of either tenant                               |
 * | 3      | 403                                                               |
 * | 4      | 404, as for something that does not exist                          |
 */
export interface Row {
  /** `GET /v1/nodes/{node}`; what is in braces is made for the row (fixtures.ts). */
  readonly line: string;
  /** Status of an allowed request. */
  readonly ok: number;
  readonly expect: string;
  readonly body?: unknown;
  /** Members of the node that the row is about. */
  readonly node?: Readonly<Record<string, unknown>>;
  /** Collection member of a list's answer. */
  readonly list?: string;
  /** Says what the row is about where the line does not. */
  readonly about?: string;
}

const LETTERS_IN_ROW = 21;

/** The letters of a row, one a caller. */
export function lettersOf({ line, expect }: Row): readonly string[] {
  const letters = expect.replaceAll(' ', '').split('');
  if (letters.length !== LETTERS_IN_ROW || letters.some((letter) => !'AFE34'.includes(letter)))
    throw new Error(`the row of ${line} has ${String(letters.length)} letters: ${expect}`);
  return letters;
}
