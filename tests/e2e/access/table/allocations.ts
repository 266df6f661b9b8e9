import { type Row } from '../row.js';

/** Allocations of the owner's project. */
export const allocationRows: readonly Row[] = [
  {
    line: 'GET /v1/allocations',
    ok: 200,
    list: 'allocations',
    expect: 'AAAAA FFFFE EEEEE EE333 A',
  },
  {
    line: 'POST /v1/allocations',
    ok: 201,
    body: { resource_class: 'nothing-of-the-kind', name: '{name}' },
    expect: 'AAA33 AAA33 AAA33 A3333 A',
  },
  {
    line: 'POST /v1/allocations',
    about: 'for the owner’s project',
    ok: 201,
    body: { resource_class: 'nothing-of-the-kind', name: '{name}', owner: '{owner}' },
    expect: 'AAA33 AAA33 33333 33333 A',
  },
  { line: 'GET /v1/allocations/{allocation}', ok: 200, expect: 'AAAAA AAAA4 44444 44444 A' },
  {
    line: 'PATCH /v1/allocations/{allocation}',
    ok: 200,
    body: [{ op: 'replace', path: '/extra', value: { note: 'x' } }],
    expect: 'AAA33 AAA34 44444 44444 A',
  },
  {
    line: 'DELETE /v1/allocations/{allocation}',
    ok: 204,
    expect: 'AAA33 AAA34 44444 44444 A',
  },
];
