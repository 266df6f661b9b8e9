import { ANSWER } from '../answers.js';
import { BODY } from '../body-kinds.js';
import { type Route } from '../route.js';
import { keys, rowsOf } from './rows.js';

const introspection = (verb: string): string => `introspection:${verb}`;

const row = rowsOf({ upstream: 'conductor' });

/** The API of ironic-inspector. Every decision depends on the caller alone. */
export const INTROSPECTION_ROUTES: readonly Route[] = [
  row({
    method: 'GET',
    path: '/v1/introspection',
    summary: 'List inspections',
    answer: ANSWER.introspections,
    action: introspection('status'),
    query: keys('limit', 'marker', 'state'),
  }),
  row({
    method: 'GET',
    path: '/v1/introspection/{ident}',
    summary: 'Show the inspection of a node',
    answer: ANSWER.introspection,
    action: introspection('status'),
  }),
  row({
    method: 'POST',
    path: '/v1/introspection/{ident}',
    summary: 'Start the inspection of a node',
    answer: ANSWER.accepted,
    action: introspection('start'),
    query: keys('manage_boot'),
    body: BODY.introspection,
  }),
  row({
    method: 'POST',
    path: '/v1/introspection/{ident}/abort',
    summary: 'Abort the inspection of a node',
    answer: ANSWER.accepted,
    action: introspection('abort'),
    body: BODY.nothing,
  }),
  row({
    method: 'GET',
    path: '/v1/introspection/{ident}/data',
    summary: 'Show the report of the inspection of a node',
    answer: ANSWER.introspectionData,
    action: introspection('data'),
  }),
  row({
    method: 'POST',
    path: '/v1/introspection/{ident}/data/unprocessed',
    summary: 'Apply the report of the last inspection of a node again',
    answer: ANSWER.accepted,
    action: introspection('reapply'),
    body: BODY.reapplied,
  }),
];
