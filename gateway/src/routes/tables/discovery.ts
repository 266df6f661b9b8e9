import { ANSWER } from '../answers.js';
import { type Route } from '../route.js';
import { rowsOf } from './rows.js';

const row = rowsOf({ upstream: 'inventory' });
const own = rowsOf({ upstream: 'gateway' });

/** API versions, the root documents, and the OpenAPI description. */
export const DISCOVERY_ROUTES: readonly Route[] = [
  row({
    method: 'GET',
    path: '/',
    summary: 'List the versions of the API',
    answer: ANSWER.root,
    action: null,
  }),
  row({
    method: 'HEAD',
    path: '/',
    summary: 'Check that the API is available',
    answer: ANSWER.head,
    action: null,
  }),
  row({
    method: 'GET',
    path: '/v1',
    summary: 'Show the resources of this version of the API',
    answer: ANSWER.version,
    action: null,
  }),
  row({
    method: 'HEAD',
    path: '/v1',
    summary: 'Check that this version of the API is available',
    answer: ANSWER.head,
    action: null,
  }),
  own({
    method: 'GET',
    path: '/openapi.json',
    summary: 'Describe the API',
    answer: ANSWER.description,
    action: null,
  }),
  own({
    method: 'HEAD',
    path: '/openapi.json',
    summary: 'Check whether the description of the API has changed',
    answer: ANSWER.head,
    action: null,
  }),
];
