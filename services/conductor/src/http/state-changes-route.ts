import {
  api,
  BadRequestError,
  booleanIn,
  ConflictError,
  type NodeRecord,
  parse,
} from '@tenure/contracts';
import { type Request, type Response, Router } from 'express';
import { validCapability } from '../application/capability.js';
import { type NodeChanges } from '../application/node-changes.js';
import { BOOT_MODES, isBootMode } from '../domain/boot-mode.js';
import { isUnstable, type ResumableChange } from '../domain/node-change.js';
import { accepted } from './accepted.js';
import { askNode, type NodeRouteOptions } from './node-hardware.js';
import { nodeRequestOf, nodeUrlOf } from './request-node.js';

export interface StateChangesOptions extends NodeRouteOptions {
  readonly changes: NodeChanges;
}

/** `GET`, `PUT …/states/console`, `PUT …/states/boot_mode`, `PUT …/states/secure_boot`. */
export function stateChangesRouter({ changes, ...options }: StateChangesOptions): Router {
  const router = Router({ caseSensitive: true });
  const accept = async (
    request: Request,
    response: Response,
    change: ResumableChange,
    { what, at }: { readonly what?: string; readonly at: string },
  ): Promise<void> => {
    const about = nodeRequestOf(request);
    const check = what === undefined ? undefined : checkStable(what);
    await changes.accept(about.context, about.uuid, change, check);
    accepted(response, `${nodeUrlOf(about)}/${at}`);
  };
  router.get('/v1/nodes/:ident/states/console', async (request, response) => {
    const info = await askNode(options, request, async ({ node, deadline }) => {
      const console = await validCapability(options.driverOf, node, 'console', 'console');
      return node.console_enabled ? console.info(node, deadline) : null;
    });
    response.json({ console_enabled: info !== null, console_info: info });
  });
  router.put('/v1/nodes/:ident/states/console', async (request, response) => {
    const { enabled } = parse(api.VERB.console, request.body, 'console');
    const change = { kind: 'console', enabled: flagIn(enabled, 'enabled') } as const;
    await accept(request, response, change, { at: 'states/console' });
  });
  router.put('/v1/nodes/:ident/states/boot_mode', async (request, response) => {
    const change = bootModeIn(parse(api.VERB.bootMode, request.body, 'boot_mode').target);
    await accept(request, response, change, { what: 'boot mode', at: 'states' });
  });
  router.put('/v1/nodes/:ident/states/secure_boot', async (request, response) => {
    const { target } = parse(api.VERB.secureBoot, request.body, 'secure_boot');
    const change = { kind: 'secure_boot', target: flagIn(target, 'target') } as const;
    await accept(request, response, change, { what: 'secure boot state', at: 'states' });
  });
  return router;
}

/** A node that something else is changing keeps its boot settings. */
const checkStable =
  (what: string) =>
  (node: NodeRecord): void => {
    if (isUnstable(node))
      throw new ConflictError(
        'in_transition',
        `Node is in ${node.provision_state} state. The ${what} is not changed while the node is in transition; try again later.`,
      );
  };

function flagIn(value: boolean | string, name: string): boolean {
  const flag = booleanIn(value);
  if (typeof flag !== 'boolean')
    throw new BadRequestError(`Invalid input for field/attribute ${name}: it must be a boolean.`);
  return flag;
}

function bootModeIn(target: string): ResumableChange {
  if (!isBootMode(target))
    throw new BadRequestError(
      `Invalid boot mode '${target}' specified; it must be one of ${BOOT_MODES.join(', ')}.`,
    );
  return { kind: 'boot_mode', target };
}
