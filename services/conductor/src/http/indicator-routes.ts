import { api, BadRequestError, NotFoundError, parse } from '@tenure/contracts';
import { type Request } from 'express';
import { capabilityOf } from '../application/capability.js';
import {
  INDICATOR_STATES,
  type IndicatorId,
  indicatorNamed,
  type IndicatorState,
  noIndicator,
  uniqueName,
} from '../domain/indicators.js';
import { type Indicator } from '../ports/hardware-capabilities.js';
import { changing, type Hardware, reading } from './node-hardware.js';
import { nodeRequestOf } from './request-node.js';

const INDICATORS = 'management/indicators';

const nameIn = (request: Request): string => String(request.params['name']);

/** The indicator that a path names in two segments. */
const idIn = (request: Request): IndicatorId => ({
  component: String(request.params['component']),
  name: nameIn(request),
});

const listOf = ({ driver, node, deadline }: Hardware): Promise<readonly Indicator[]> =>
  capabilityOf(driver, node, 'indicators', 'get_supported_indicators').list(node, deadline);

const stateOf = async ({ driver, node, deadline }: Hardware, id: IndicatorId) => ({
  state: await capabilityOf(driver, node, 'indicators', 'get_indicator_state').get(
    node,
    id,
    deadline,
  ),
});

/** `GET …/management/indicators`, and everything below it. */
export const indicatorRoutes = [
  reading(INDICATORS, async (hardware, request) => ({
    indicators: (await listOf(hardware)).map((indicator) => viewOf(indicator, request)),
  })),
  reading(`${INDICATORS}/:name`, async (hardware, request) => {
    const name = nameIn(request);
    if (name.includes('@')) return stateOf(hardware, indicatorNamed(name));
    const ofComponent = (await listOf(hardware)).filter(({ component }) => component === name);
    if (ofComponent.length === 0) throw NotFoundError.part(`Component ${name} has no indicators.`);
    return { indicators: ofComponent.map((indicator) => viewOf(indicator, request)) };
  }),
  changing(['put', `${INDICATORS}/:name`], (request) =>
    setState(request, indicatorNamed(nameIn(request))),
  ),
  reading(`${INDICATORS}/:component/:name`, (hardware, request) =>
    stateOf(hardware, idIn(request)),
  ),
  changing(['put', `${INDICATORS}/:component/:name`], (request) =>
    setState(request, idIn(request)),
  ),
];

function viewOf(indicator: Indicator, request: Request): Readonly<Record<string, unknown>> {
  const { claims, uuid } = nodeRequestOf(request);
  const name = uniqueName(indicator);
  const path = `nodes/${uuid}/management/indicators/${name}`;
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
}

function setState(request: Request, id: IndicatorId) {
  const state = stateIn(request.body);
  return async ({ driver, node, deadline }: Hardware) => {
    const indicators = capabilityOf(driver, node, 'indicators', 'set_indicator_state');
    const lamp = (await indicators.list(node, deadline)).find(
      ({ component, name }) => component === id.component && name === id.name,
    );
    if (lamp === undefined) throw noIndicator(id);
    if (lamp.readonly || !lamp.states.includes(state))
      throw new BadRequestError(`Indicator ${uniqueName(id)} cannot be set to ${state}.`);
    return indicators.set(node, { ...id, state }, deadline);
  };
}

function stateIn(body: unknown): IndicatorState {
  const { state } = parse(api.VERB.indicator, body, 'indicator');
  const found = INDICATOR_STATES.find((one) => one === state.toLowerCase());
  if (found === undefined || found === 'unknown')
    throw new BadRequestError(`Invalid indicator state ${state}; it must be on, off or blinking.`);
  return found;
}
