import { KeypairOwner, KeypairUser, keypairUser, parse } from '@tenure/contracts';
import { type ActionInput } from '../action-choice.js';
import { ANSWER } from '../answers.js';
import { BODY } from '../body-kinds.js';
import { type Route } from '../route.js';
import { novaKeys, rowsOf } from './rows.js';

const inQuery = ({ query }: ActionInput, caller: string): string =>
  keypairUser(parse(KeypairUser, query.get('user_id') ?? '', 'user_id'), caller);
const inBody = ({ json }: ActionInput, caller: string): string =>
  keypairUser(parse(KeypairOwner, json, 'key pair').keypair.user_id, caller);

const row = rowsOf({
  api: 'compute',
  upstream: 'compute',
  personal: { type: 'keypair', user: inQuery },
});
const keypair = (verb: string): string => `os_compute_api:os-keypairs:${verb}`;

/** Key pairs belong to users, not to projects. */
export const KEYPAIR_ROUTES: readonly Route[] = [
  row({
    method: 'GET',
    path: '/v2.1/os-keypairs',
    summary: 'List key pairs of a user',
    answer: ANSWER.nova.keypairs,
    action: keypair('index'),
    query: novaKeys('user_id', 'limit', 'marker'),
  }),
  row({
    method: 'POST',
    path: '/v2.1/os-keypairs',
    summary: 'Add a key pair',
    answer: ANSWER.nova.keypairCreated,
    action: keypair('create'),
    body: BODY.keypair,
    personal: { type: 'keypair', user: inBody },
  }),
  row({
    method: 'GET',
    path: '/v2.1/os-keypairs/{keypair}',
    summary: 'Show a key pair',
    answer: ANSWER.nova.keypair,
    action: keypair('show'),
    query: novaKeys('user_id'),
  }),
  row({
    method: 'DELETE',
    path: '/v2.1/os-keypairs/{keypair}',
    summary: 'Delete a key pair',
    answer: ANSWER.nova.keypairDeleted,
    action: keypair('delete'),
    query: novaKeys('user_id'),
  }),
];
