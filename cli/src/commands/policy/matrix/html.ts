import { LEGEND, type Matrix, type MatrixRow } from '@tenure/policy';
import { INTRODUCTION, switchLines, TITLE } from './preamble.js';

// Colours are pairs for light and dark mode. No information is in the colour alone: each cell has a letter.
const STYLE = `
:root{color-scheme:light dark;--text:light-dark(#1b1b1b,#e8e8e8);--page:light-dark(#fff,#16181c);
--head:light-dark(#eee,#262a31);--line:light-dark(#bbb,#444a55);--allowed:light-dark(#cfe8cf,#1f4a2a);
--own:light-dark(#e8f0c8,#4a4a1c);--refused:light-dark(#f3d3cf,#552722)}
body{font:14px/1.4 system-ui,sans-serif;margin:2em;color:var(--text);background:var(--page)}
table{border-collapse:collapse;margin-bottom:2em}
th,td{border:1px solid var(--line);padding:2px 6px;text-align:center}
th[scope=row]{text-align:left;font-weight:normal}
thead th{position:sticky;top:0;background:var(--head)}
dl{columns:20em 3}dt{float:left;clear:left;width:3em}dd{margin:0 0 .2em 3em;break-inside:avoid}
[data-cell=A]{background:var(--allowed)}[data-cell=P]{background:var(--own)}[data-cell="-"]{background:var(--refused)}
@media print{thead th{position:static}}
`;

const MEANING = new Map<string, string>(LEGEND);

/** One self-contained page, readable in dark and light mode. */
export const asHtml = (matrix: Matrix): string =>
  [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${TITLE}</title><style>${STYLE}</style></head><body>`,
    `<h1>${TITLE}</h1>`,
    `<p>${html(INTRODUCTION)}</p>`,
    `<dl>${matrix.personas.map((each) => `<dt><code>${html(each.code)}</code></dt><dd>${html(each.name)}</dd>`).join('')}</dl>`,
    `<ul>${LEGEND.map(([letter, meaning]) => `<li><code>${html(letter)}</code> ${html(meaning)}</li>`).join('')}</ul>`,
    `<p>Switches: ${html(switchLines(matrix).join(', '))}</p>`,
    ...matrix.topics.flatMap(({ title, rows }) => [
      `<h2>${html(title)}</h2>`,
      `<table>${htmlHead(matrix)}<tbody>`,
      ...rows.map((row) => htmlRow(matrix, row)),
      '</tbody></table>',
    ]),
    '</body></html>',
  ].join('\n');

const html = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

function htmlHead(matrix: Matrix): string {
  const columns = matrix.personas.map(
    ({ code: short, name }) => `<th scope="col" title="${html(name)}">${html(short)}</th>`,
  );
  return `<thead><tr><th scope="col">action</th>${columns.join('')}</tr></thead>`;
}

function htmlRow(matrix: Matrix, { action, cells }: MatrixRow): string {
  const rendered = cells.map((cell, at) => {
    const title = `${matrix.personas[at]?.name ?? ''}: ${MEANING.get(cell) ?? ''}`;
    return `<td data-cell="${html(cell)}" title="${html(title)}">${html(cell)}</td>`;
  });
  return `<tr><th scope="row"><code>${html(action)}</code></th>${rendered.join('')}</tr>`;
}
