import { ANSWER } from '../answers.js';
import { BODY } from '../body-kinds.js';
import { type Route } from '../route.js';
import { keys, missingBefore, rowsOf } from './rows.js';

const row = rowsOf({ upstream: 'conductor' });

/** The agent on a machine, which has no token of the API: the conductor authenticates it by the token of its boot. */
export const AGENT_ROUTES: readonly Route[] = [
  row({
    method: 'GET',
    path: '/v1/lookup',
    summary: 'Find the node that a deploy ramdisk runs on',
    answer: ANSWER.lookup,
    action: null,
    signedAs: 'baremetal:driver:ipa_lookup',
    agent: 'without_token',
    query: keys('addresses', 'node_uuid'),
    since: missingBefore(22),
  }),
  row({
    method: 'POST',
    path: '/v1/heartbeat/{ident}',
    summary: 'Receive the heartbeat of a deploy ramdisk',
    answer: ANSWER.accepted,
    action: null,
    signedAs: 'baremetal:node:ipa_heartbeat',
    agent: 'token_in_body',
    body: BODY.heartbeat,
    since: missingBefore(22),
  }),
  row({
    method: 'POST',
    path: '/v1/continue_inspection',
    summary: 'Send the report of an inspection',
    answer: ANSWER.inspected,
    action: null,
    signedAs: 'baremetal:driver:ipa_continue_inspection',
    agent: 'token_in_header_or_body',
    body: BODY.inspectionData,
    query: keys('node_uuid'),
    // A ramdisk requests no version.
    since: { ...missingBefore(84), orMinimum: true },
  }),
];
