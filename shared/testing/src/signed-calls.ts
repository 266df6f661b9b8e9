import { createSecretKey, randomBytes } from 'node:crypto';
import { type RequestListener } from 'node:http';
import { CONTEXT_HEADER, type PartName } from '@tenure/contracts';
import {
  type ContextKeys,
  type ContextStatement,
  newCallContext,
  type PairKeys,
  signContext,
} from '@tenure/signed-context';
import request, { type Response } from 'supertest';

export interface KeyPair {
  readonly caller: ContextKeys;
  readonly audience: ContextKeys;
}

export type Method = 'get' | 'put' | 'post' | 'patch' | 'delete';

/** The request, and the members of its context that differ from `newCallContext`. */
export interface SignedCall {
  readonly method: string;
  readonly target: string;
  readonly body?: unknown;
  readonly context: Partial<ContextStatement> & Pick<ContextStatement, 'aud'>;
}

/** The key sets of a caller and an audience that share one key. */
export function keyPair(caller: PartName, audience: PartName): KeyPair {
  const pair: PairKeys = [createSecretKey(randomBytes(32))];
  return {
    caller: { self: caller, outgoing: new Map([[audience, pair]]), incoming: new Map() },
    audience: { self: audience, outgoing: new Map(), incoming: new Map([[caller, pair]]) },
  };
}

/** A body, and headers with a context that is signed for exactly this request. */
export function signedCall(
  keys: ContextKeys,
  { method, target, body, context }: SignedCall,
): { readonly text: string; readonly headers: Readonly<Record<string, string>> } {
  const text = body === undefined ? '' : JSON.stringify(body);
  const statement = {
    ...newCallContext('baremetal:node:get'),
    method: method.toUpperCase(),
    target,
    ...context,
  };
  const token = signContext(keys, statement, Buffer.from(text));
  return { text, headers: { [CONTEXT_HEADER]: token, 'Content-Type': 'application/json' } };
}

/** Sends a request as another part does: with a context that is signed for exactly this request. */
export async function sendSigned(
  app: RequestListener,
  keys: ContextKeys,
  call: SignedCall & { readonly method: Method },
): Promise<Response> {
  const { text, headers } = signedCall(keys, call);
  const pending = request(app)[call.method](call.target).set(headers);
  return text === '' ? pending : pending.send(text);
}

/** The sentence in an error body of Ironic's form. */
export function faultOf({ body }: { readonly body: unknown }): string {
  const { error_message: message } = body as { readonly error_message: string };
  return (JSON.parse(message) as { readonly faultstring: string }).faultstring;
}
