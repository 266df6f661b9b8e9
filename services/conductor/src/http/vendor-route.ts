import { api, BadRequestError, type NodeRecord, parse } from '@tenure/contracts';
import { type Request, type Response, Router } from 'express';
import { validCapability } from '../application/capability.js';
import { type NodeChanges } from '../application/node-changes.js';
import {
  VENDOR_HTTP_METHODS,
  type VendorArguments,
  type VendorMethod,
  type VendorMethods,
} from '../ports/hardware-capabilities.js';
import { accepted } from './accepted.js';
import { askNode, changeNode, type NodeRouteOptions } from './node-hardware.js';
import { nodeRequestOf, optionalBody } from './request-node.js';

/** A call of a method of the vendor's own. */
interface VendorCall {
  readonly name: string;
  readonly method: VendorMethod;
  readonly args: VendorArguments;
}

export interface VendorRouteOptions extends NodeRouteOptions {
  readonly changes: NodeChanges;
}

/** The name in the path, or in `?method=`. Throws BadRequestError. */
export function methodNameIn(request: Request): string {
  const name: unknown = request.params['method'] ?? request.query['method'];
  if (typeof name !== 'string' || name === '') throw new BadRequestError('Method not specified');
  return name;
}

/** `GET …/vendor_passthru/methods`, and `…/vendor_passthru?method=` or `…/vendor_passthru/{method}` by any verb. */
export function vendorRouter({ changes, ...options }: VendorRouteOptions): Router {
  const router = Router({ caseSensitive: true });
  const methodsOf = (node: NodeRecord): Promise<VendorMethods> =>
    validCapability(options.driverOf, node, 'vendor', 'vendor');
  const startAsync = async (request: Request, call: VendorCall): Promise<void> => {
    const { name, method, args } = call;
    const { context, uuid } = nodeRequestOf(request);
    if (method.needsLock)
      await changes.acceptOnce(context, uuid, {
        change: { kind: 'vendor', method: name },
        check: async (node) => {
          callIn(await methodsOf(node), request);
        },
        perform: async (node, deadline) => {
          await method.run(node, args, deadline);
          return {};
        },
      });
    else {
      const node = await options.inventory.getNode(context, uuid);
      await changes.inBackground(uuid, (deadline) => method.run(node, args, deadline));
    }
  };
  const runSync = async (request: Request, { method, args }: VendorCall): Promise<unknown> => {
    if (!method.needsLock)
      return askNode(options, request, ({ node, deadline }) => method.run(node, args, deadline));
    const done = await changeNode(options, request, async ({ node, deadline }) => ({
      set: {},
      value: await method.run(node, args, deadline),
    }));
    return done.value;
  };
  router.get('/v1/nodes/:ident/vendor_passthru/methods', async (request, response) => {
    response.json(methodsView(await askNode(options, request, ({ node }) => methodsOf(node))));
  });
  router.all('/v1/nodes/:ident/vendor_passthru{/:method}', async (request, response, next) => {
    if (!VENDOR_HTTP_METHODS.some((verb) => verb === request.method)) {
      next();
      return;
    }
    const call = await askNode(options, request, async ({ node }) =>
      callIn(await methodsOf(node), request),
    );
    if (call.method.isAsync) {
      await startAsync(request, call);
      accepted(response);
    } else answer(response, await runSync(request, call));
  });
  return router;
}

/** Throws BadRequestError when there is no such method, or it is called by another verb. */
function callIn(methods: VendorMethods, request: Request): VendorCall {
  const name = methodNameIn(request);
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined)
    throw new BadRequestError(`No handler for method ${name.slice(0, 255)}`);
  if (!method.httpMethods.some((verb) => verb === request.method))
    throw new BadRequestError(`The method ${name} does not support HTTP ${request.method}`);
  const args = argumentsIn(request);
  method.validate(args);
  return { name, method, args };
}

/** The answer to `…/vendor_passthru/methods`. */
const methodsView = (methods: VendorMethods): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(methods)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, method]) => [
        name,
        {
          http_methods: method.httpMethods,
          async: method.isAsync,
          description: method.description,
          attach: false,
          require_exclusive_lock: method.needsLock,
        },
      ]),
  );

function answer(response: Response, value: unknown): void {
  if (value === undefined || value === null) response.status(200).set('Content-Length', '0').end();
  else response.status(200).json(value);
}

/** Arguments are the body's members, and what else the query holds: not every client sends a body with GET or DELETE. */
function argumentsIn(request: Request): VendorArguments {
  const body = parse(api.VERB.vendor, optionalBody(request), 'vendor_passthru');
  const query = Object.entries(request.query).filter(([name]) => name !== 'method');
  return { ...Object.fromEntries(query), ...body };
}
