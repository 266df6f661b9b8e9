import { type Row } from '../row.js';

const update = [{ op: 'replace', path: '/extra', value: { cable: 7 } }];

/** Ports and port groups. */
export const portRows: readonly Row[] = [
  { line: 'GET /v1/ports', ok: 200, list: 'ports', expect: 'AAAAA FFFFF FFFFE EE333 A' },
  { line: 'GET /v1/ports/detail', ok: 200, list: 'ports', expect: 'AAAAA FFFFF FFFFE EE333 A' },
  { line: 'GET /v1/ports/{port}', ok: 200, expect: 'AAAAA AAAAA AAAA4 44444 A' },
  { line: 'GET /v1/nodes/{node}/ports', ok: 200, expect: 'AAAAA AAAAA AAAA4 44444 A' },
  { line: 'GET /v1/nodes/{node}/ports/detail', ok: 200, expect: 'AAAAA AAAAA AAAA4 44444 A' },
  {
    line: 'POST /v1/ports',
    ok: 201,
    body: { node_uuid: '{node}', address: '{mac}' },
    expect: 'A3333 AA333 33333 33333 3',
  },
  {
    line: 'PATCH /v1/ports/{port}',
    ok: 200,
    body: update,
    expect: 'AAA3A AA33A 33334 44444 A',
  },
  { line: 'DELETE /v1/ports/{port}', ok: 204, expect: 'A3333 AA333 33334 44444 3' },

  { line: 'GET /v1/portgroups', ok: 200, list: 'portgroups', expect: 'AAAAA FFFFF FFFFE EE333 A' },
  {
    line: 'GET /v1/portgroups/detail',
    ok: 200,
    list: 'portgroups',
    expect: 'AAAAA FFFFF FFFFE EE333 A',
  },
  { line: 'GET /v1/portgroups/{portgroup}', ok: 200, expect: 'AAAAA AAAAA AAAA4 44444 A' },
  { line: 'GET /v1/nodes/{node}/portgroups', ok: 200, expect: 'AAAAA AAAAA AAAA4 44444 A' },
  { line: 'GET /v1/portgroups/{portgroup}/ports', ok: 200, expect: 'AAAAA AAAAA AAAA4 44444 A' },
  {
    line: 'POST /v1/portgroups',
    ok: 201,
    body: { node_uuid: '{node}', address: '{mac}' },
    expect: 'A3333 AA333 33333 33333 3',
  },
  {
    line: 'PATCH /v1/portgroups/{portgroup}',
    ok: 200,
    body: update,
    expect: 'AAA3A AA33A 33334 44444 A',
  },
  { line: 'DELETE /v1/portgroups/{portgroup}', ok: 204, expect: 'A3333 AA333 33334 44444 3' },
];
