import {
  type CallContext,
  CONTEXT_HEADER,
  type NodeRecord,
  UnavailableError,
} from '@tenure/contracts';
import { bodyOf } from '@tenure/http';
import { deadlineIn } from '@tenure/process';
import { type Request, type RequestHandler, type Response } from 'express';
import { type Logger } from 'pino';
import { type Membership } from '../application/membership.js';
import { type Member } from '../domain/rendezvous.js';
import { FORWARDED_HEADER, type Peers, type ReceivedOrder } from '../ports/peers.js';

/** The node that a request is about, and the context to read it in. */
export interface RequestedNode {
  readonly context: CallContext;
  readonly node: NodeRecord;
}

/** Finds the node of a request; undefined when it needs no conductor of a certain node. Throws AppError. */
export type FindRequestedNode = (request: Request) => Promise<RequestedNode | undefined>;

export interface ServingOptions {
  readonly membership: Membership;
  readonly peers: Peers;
  readonly logger: Logger;
  /** Milliseconds that the other conductors are given together; the caller waits for them. */
  readonly sendOnMs?: number | undefined;
}

/** Shorter than what the gateway waits, longer than what a conductor gives its hardware before it answers. */
const SEND_ON_MS = 7500;

/**
 * Lets a request through that is about a node of this conductor, and sends every other on to a conductor that serves its
 * node: the responsible one, or the next best while no connection comes about. A request that was sent on to us stays here.
 * @throws UnavailableError when no conductor serves the node, or none of those that do can be reached
 */
export function createServing({
  membership,
  peers,
  logger,
  sendOnMs = SEND_ON_MS,
}: ServingOptions) {
  const sendOn = async (
    { context, node }: RequestedNode,
    request: Request,
    response: Response,
  ): Promise<void> => {
    const tried = new Set<string>();
    const order = orderOf(request);
    const deadline = deadlineIn(sendOnMs);
    const isAnswered = async (members: readonly Member[]): Promise<boolean> => {
      for (const { hostname, advertised_url: url } of members) {
        if (url === undefined || tried.has(url)) continue;
        tried.add(url);
        if (await peers.forward(url, order, response, deadline)) return true;
        logger.warn({ node: node.uuid, conductor: hostname }, 'a conductor cannot be reached');
      }
      return false;
    };
    if (await isAnswered(await membership.othersServing(context, node))) return;
    // One of them may have moved, or another joined, since the last heartbeat.
    await membership.refresh();
    if (!(await isAnswered(await membership.othersServing(context, node)))) throw unreachable();
  };
  return (find: FindRequestedNode): RequestHandler =>
    async (request, response, next) => {
      const requested = await find(request);
      const sender = request.headers[FORWARDED_HEADER];
      if (sender !== undefined)
        logger.debug({ node: requested?.node.uuid, sender }, 'another conductor sent a request on');
      if (requested === undefined || membership.isServedHere(requested.node)) next();
      else if (sender === undefined) await sendOn(requested, request, response);
      else throw new UnavailableError('This conductor does not serve the node; please try again.');
    };
}

const orderOf = (request: Request): ReceivedOrder => ({
  method: request.method,
  target: request.originalUrl,
  context: String(request.headers[CONTEXT_HEADER]),
  body: bodyOf(request),
});

const unreachable = (): UnavailableError =>
  new UnavailableError('The conductor that serves the node cannot be reached.');
