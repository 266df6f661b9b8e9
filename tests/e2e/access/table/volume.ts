import { type Row } from '../row.js';

const update = [{ op: 'replace', path: '/extra', value: { note: 'x' } }];

/** Volume connectors and targets. */
export const volumeRows: readonly Row[] = [
  { line: 'GET /v1/volume', ok: 200, expect: 'AAAAA 33333 33333 33333 A' },
  { line: 'GET /v1/nodes/{node}/volume', ok: 200, expect: 'AAAAA AAAAA AAAA4 44444 A' },
  ...['connectors', 'targets'].flatMap((kind): readonly Row[] => {
    const one = `{${kind.slice(0, -1)}}`;
    return [
      {
        line: `GET /v1/volume/${kind}`,
        ok: 200,
        list: kind,
        expect: 'AAAAA FFFFF FFFFE EE333 A',
      },
      {
        line: `GET /v1/volume/${kind}?detail=true`,
        ok: 200,
        list: kind,
        expect: 'AAAAA FFFFF FFFFE EE333 A',
      },
      { line: `GET /v1/volume/${kind}/${one}`, ok: 200, expect: 'AAAAA AAAAA AAAA4 44444 A' },
      { line: `GET /v1/nodes/{node}/volume/${kind}`, ok: 200, expect: 'AAAAA AAAAA AAAA4 44444 A' },
      {
        line: `PATCH /v1/volume/${kind}/${one}`,
        ok: 200,
        body: update,
        expect: 'AAA3A AAA3A AA334 44444 A',
      },
      { line: `DELETE /v1/volume/${kind}/${one}`, ok: 204, expect: 'AAA3A AA33A AA334 44444 A' },
    ];
  }),
  {
    line: 'POST /v1/volume/connectors',
    ok: 201,
    body: { node_uuid: '{node}', type: 'iqn', connector_id: 'iqn.2026-11.test:{uuid}' },
    expect: 'AAA3A AA33A AA333 33333 A',
  },
  {
    line: 'POST /v1/volume/targets',
    ok: 201,
    body: { node_uuid: '{node}', volume_type: 'iscsi', boot_index: 7, volume_id: '{uuid}' },
    expect: 'AAA3A AA33A AA333 33333 A',
  },
];
