import { ANSWER } from '../answers.js';
import { type Route } from '../route.js';
import { rowsOf } from './rows.js';

const row = rowsOf({ upstream: 'inventory' });
const own = rowsOf({ upstream: 'gateway' });

/** Which versions there are, what is in them, and how it all looks. */
export const DISCOVERY_ROUTES: readonly Route[] = [
  row({
    method: 'GET',
    path: '/',
    summary: 'Which versions of the API there are',
    answer: ANSWER.root,
    action: null,
  }),
  row({
    method: 'HEAD',
    path: '/',
    summary: 'Whether the API is there',
    answer: ANSWER.head,
    action: null,
  }),
  row({
    method: 'GET',
    path: '/v1',
    summary: 'What this version of the API has',
    answer: ANSWER.version,
    action: null,
  }),
  row({
    method: 'HEAD',
    path: '/v1',
    summary: 'Whether this version of the API is there',
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
    summary: 'Whether the description of the API is another one now',
    answer: ANSWER.head,
    action: null,
  }),
];
