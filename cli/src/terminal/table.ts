import { printable } from './printable.js';

/** Aligned columns; the first row is the header. */
export function tableLines(rows: readonly (readonly string[])[]): readonly string[] {
  const cells = rows.map((row) => row.map(printable));
  const widths = (cells[0] ?? []).map((_name, column) =>
    cells.reduce((widest, row) => Math.max(widest, (row[column] ?? '').length), 0),
  );
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
