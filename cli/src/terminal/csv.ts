/** A spreadsheet reads such a cell as a formula. A lone minus is a value of our own tables. */
const FORMULA = /^\s*(?:[=+@]|-.)|^[\t\r\n]/u;

/** Rows as CSV (RFC 4180). A cell that looks like a formula starts with an apostrophe, so that no spreadsheet evaluates it. */
export const csvOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => row.map(cellOf).join(',')).join('\r\n');

function cellOf(text: string): string {
  const plain = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/u.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
