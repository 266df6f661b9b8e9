import { api, BadRequestError, NotFoundError, parse } from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { type Request, Router } from 'express';
import { capabilityOf } from '../application/capability.js';
import { withInternal } from '../application/under-lock.js';
import {
  INDICATOR_STATES,
  type IndicatorId,
  indicatorNamed,
  type IndicatorState,
  noIndicator,
  uniqueName,
} from '../domain/indicators.js';
import { type Indicator } from '../ports/hardware-capabilities.js';
import { askNode, changeNode, type NodeRouteOptions } from './asked-node.js';
import { nodeUuidOf } from './request-node.js';

const INDICATORS = '/v1/nodes/:ident/management/indicators';

const stateIn = (body: unknown): IndicatorState => {
  const { state } = parse(api.VERB.indicator, body, 'indicator');
  const known = INDICATOR_STATES.find((one) => one === state.toLowerCase());
  if (known === undefined || known === 'unknown')
    throw new BadRequestError(`Invalid indicator state ${state}; it must be on, off or blinking.`);
  return known;
};

const shown = (indicator: Indicator, request: Request): Readonly<Record<string, unknown>> => {
  const claims = contextOf(request);
  const name = uniqueName(indicator);
  const path = `nodes/${nodeUuidOf(claims)}/management/indicators/${name}`;
  const { component, readonly, states } = indicator;
  return {
    name,
    component,
    readonly,
    states,
    links: [
      { href: `${claims.public_base}/v1/${path}`, rel: 'self' },
      { href: `${claims.public_base}/${path}`, rel: 'bookmark' },
    ],
  };
};

const nameIn = (request: Request): string => String(request.params['name']);

/** `GET …/management/indicators`, and everything below it. */
export const indicatorsRouter = (options: NodeRouteOptions): Router => {
  const router = Router({ caseSensitive: true });
  const listed = (request: Request): Promise<readonly Indicator[]> =>
    askNode(options, request, (driver, node, deadline) =>
      capabilityOf(driver, node, 'indicators', 'get_supported_indicators').list(node, deadline),
    );
  const stateOf = (request: Request, id: IndicatorId): Promise<IndicatorState> =>
    askNode(options, request, (driver, node, deadline) =>
      capabilityOf(driver, node, 'indicators', 'get_indicator_state').get(node, id, deadline),
    );
  const setState = (request: Request, id: IndicatorId): Promise<unknown> => {
    const state = stateIn(request.body);
    return changeNode(options, request, async (driver, node, deadline) => {
      const indicators = capabilityOf(driver, node, 'indicators', 'set_indicator_state');
      const lamp = (await indicators.list(node, deadline)).find(
        ({ component, name }) => component === id.component && name === id.name,
      );
      if (lamp === undefined) throw noIndicator(id);
      if (lamp.readonly || !lamp.states.includes(state))
        throw new BadRequestError(`Indicator ${uniqueName(id)} cannot be set to ${state}.`);
      return {
        set: withInternal(node, await indicators.set(node, { ...id, state }, deadline)),
      };
    });
  };
  const below = (request: Request): IndicatorId => ({
    component: String(request.params['component']),
    name: nameIn(request),
  });
  router.get(INDICATORS, async (request, response) => {
    const indicators = await listed(request);
    response.json({ indicators: indicators.map((indicator) => shown(indicator, request)) });
  });
  router.get(`${INDICATORS}/:name`, async (request, response) => {
    const name = nameIn(request);
    if (name.includes('@')) {
      response.json({ state: await stateOf(request, indicatorNamed(name)) });
      return;
    }
    const ofComponent = (await listed(request)).filter(({ component }) => component === name);
    if (ofComponent.length === 0) throw NotFoundError.part(`Component ${name} has no indicators.`);
    response.json({ indicators: ofComponent.map((indicator) => shown(indicator, request)) });
  });
  router.put(`${INDICATORS}/:name`, async (request, response) => {
    await setState(request, indicatorNamed(nameIn(request)));
    response.status(204).end();
  });
  router.get(`${INDICATORS}/:component/:name`, async (request, response) => {
    response.json({ state: await stateOf(request, below(request)) });
  });
  router.put(`${INDICATORS}/:component/:name`, async (request, response) => {
    await setState(request, below(request));
    response.status(204).end();
  });
  return router;
};
