import {
  type ResourceCatalogue,
  VOLUME_CONNECTOR_CATALOGUE,
  VOLUME_TARGET_CATALOGUE,
} from '@tenure/contracts';
import { ANSWER } from '../answers.js';
import { type BodyKind } from '../bodies/body-kind.js';
import { BODY } from '../body-kinds.js';
import { type Route } from '../route.js';
import {
  FIELDS,
  listBelow,
  listOf,
  missingBefore,
  onNode,
  rowsOf,
  unknownBefore,
  WITHIN_NODE,
} from './rows.js';

const row = rowsOf({ upstream: 'inventory', since: missingBefore(32) });
const volume = (verb: string): string => `baremetal:volume:${verb}`;

interface Kind {
  readonly type: 'volume_connector' | 'volume_target';
  readonly path: 'connectors' | 'targets';
  readonly body: BodyKind;
  readonly patch: BodyKind;
  /** For example `volume connector`. */
  readonly what: string;
  readonly catalogue: ResourceCatalogue;
  readonly answers: (typeof ANSWER)['volumeConnector'];
}

const collectionRows = ({ type, path, body, what, catalogue, answers }: Kind): readonly Route[] => [
  row({
    method: 'GET',
    path: `/v1/volume/${path}`,
    summary: `List ${what}s`,
    answer: answers.list,
    action: volume('list'),
    query: listOf(catalogue),
    isList: true,
  }),
  row({
    method: 'POST',
    path: `/v1/volume/${path}`,
    summary: `Create a ${what}`,
    answer: answers.created,
    action: volume('create'),
    resource: onNode(type),
    body,
  }),
  row({
    method: 'GET',
    path: `/v1/nodes/{ident}/volume/${path}`,
    summary: `List the ${what}s of a node`,
    answer: answers.list,
    action: volume('list'),
    within: WITHIN_NODE,
    query: listBelow(catalogue),
    isList: true,
    since: unknownBefore(32),
  }),
];

/** The routes of connectors and targets differ only in names. */
const rowsOfKind = (kind: Kind): readonly Route[] => [...collectionRows(kind), ...itemRows(kind)];

/** Volume connectors and targets, also those of a node. */
export const VOLUME_ROUTES: readonly Route[] = [
  row({
    method: 'GET',
    path: '/v1/volume',
    summary: 'Show the links to volume connectors and targets',
    answer: ANSWER.volumeRoot,
    action: volume('get'),
  }),
  row({
    method: 'GET',
    path: '/v1/nodes/{ident}/volume',
    summary: 'Show the links to the volume connectors and targets of a node',
    answer: ANSWER.volumeRoot,
    action: volume('get'),
    resource: { type: 'volume', loads: 'node', from: { param: 'ident' } },
    within: WITHIN_NODE,
    since: unknownBefore(32),
  }),
  ...rowsOfKind({
    type: 'volume_connector',
    path: 'connectors',
    what: 'volume connector',
    catalogue: VOLUME_CONNECTOR_CATALOGUE,
    answers: ANSWER.volumeConnector,
    body: BODY.volumeConnector,
    patch: BODY.volumeConnectorPatch,
  }),
  ...rowsOfKind({
    type: 'volume_target',
    path: 'targets',
    what: 'volume target',
    catalogue: VOLUME_TARGET_CATALOGUE,
    answers: ANSWER.volumeTarget,
    body: BODY.volumeTarget,
    patch: BODY.volumeTargetPatch,
  }),
];

function itemRows({ type, path, patch, what, answers }: Kind): readonly Route[] {
  const item = rowsOf({
    upstream: 'inventory',
    resource: { type, loads: type, from: { param: 'ident' } },
    uuid: { param: 'ident' },
    since: missingBefore(32),
  });
  const itemPath = `/v1/volume/${path}/{ident}`;
  return [
    item({
      method: 'GET',
      path: itemPath,
      summary: `Show a ${what}`,
      answer: answers.one,
      action: volume('get'),
      query: FIELDS,
    }),
    item({
      method: 'PATCH',
      path: itemPath,
      summary: `Update a ${what}`,
      answer: answers.updated,
      action: volume('update'),
      body: patch,
    }),
    item({
      method: 'DELETE',
      path: itemPath,
      summary: `Delete a ${what}`,
      answer: ANSWER.done,
      action: volume('delete'),
    }),
  ];
}
