import { type Row } from '../row.js';

/** Nodes, and what is read of one. */
export const nodeRows: readonly Row[] = [
  { line: 'GET /v1/nodes', ok: 200, list: 'nodes', expect: 'AAAAA FFFFF FFFFE EE333 A' },
  {
    line: 'GET /v1/nodes?detail=true',
    ok: 200,
    list: 'nodes',
    expect: 'AAAAA FFFFF FFFFE EE333 A',
  },
  { line: 'GET /v1/nodes/detail', ok: 200, list: 'nodes', expect: 'AAAAA FFFFF FFFFE EE333 A' },
  {
    line: 'POST /v1/nodes',
    ok: 201,
    body: { driver: 'fake-hardware', name: '{name}' },
    expect: 'A3333 33333 33333 33333 3',
  },
  {
    line: 'POST /v1/nodes',
    about: 'of its own project',
    ok: 201,
    body: { driver: 'fake-hardware', name: '{name}', owner: '{owner}' },
    expect: 'A3333 33333 33333 33333 3',
  },
  { line: 'GET /v1/nodes/{node}', ok: 200, expect: 'AAAAA AAAAA AAAA4 44444 A' },
  { line: 'GET /v1/nodes/{node}?fields=uuid', ok: 200, expect: 'AAAAA AAAAA AAAA4 44444 A' },
  { line: 'DELETE /v1/nodes/{node}', ok: 204, expect: 'A3333 33333 33334 44444 3' },
  { line: 'GET /v1/nodes/{node}/states', ok: 200, expect: 'AAAAA AAAAA AAAA4 44444 A' },
  { line: 'GET /v1/nodes/{node}/validate', ok: 200, expect: 'AAA3A AAA3A AA334 44444 A' },
  { line: 'GET /v1/nodes/validate?node={node}', ok: 200, expect: 'AAA3A AAA3A AA334 44444 A' },
  { line: 'GET /v1/nodes/{node}/children', ok: 200, expect: 'AAAAA AAAAA AAAA4 44444 A' },

  { line: 'GET /v1/nodes/{node}/traits', ok: 200, expect: 'AAAAA AAAAA AAAA4 44444 A' },
  {
    line: 'PUT /v1/nodes/{node}/traits',
    ok: 204,
    body: { traits: ['CUSTOM_GOLD'] },
    expect: 'AAA33 AA333 33334 44444 3',
  },
  { line: 'PUT /v1/nodes/{node}/traits/CUSTOM_RED', ok: 204, expect: 'AAA33 AA333 33334 44444 3' },
  { line: 'DELETE /v1/nodes/{node}/traits', ok: 204, expect: 'AAA33 AA333 33334 44444 3' },
  {
    line: 'DELETE /v1/nodes/{node}/traits/CUSTOM_OLD',
    ok: 204,
    node: { traits: ['CUSTOM_OLD'] },
    expect: 'AAA33 AA333 33334 44444 3',
  },

  { line: 'GET /v1/nodes/{node}/bios', ok: 200, expect: 'AAAAA AAAAA AAAA4 44444 A' },
  { line: 'GET /v1/nodes/{node}/history', ok: 200, expect: 'AAAAA AAAAA 33334 44444 A' },

  { line: 'GET /v1/nodes/{node}/vifs', ok: 200, expect: 'AAAAA AAAAA AAAA4 44444 A' },
  {
    line: 'POST /v1/nodes/{node}/vifs',
    ok: 204,
    body: { id: '{uuid}', port_uuid: '{port}' },
    expect: 'AAA3A AAA3A AA334 44444 A',
  },
  { line: 'DELETE /v1/nodes/{node}/vifs/{vif}', ok: 204, expect: 'AAA3A AAA3A AA334 44444 A' },

  {
    line: 'GET /v1/nodes/{allocatedNode}/allocation',
    ok: 200,
    expect: 'AAAAA AAAA4 44444 44444 A',
  },
];
