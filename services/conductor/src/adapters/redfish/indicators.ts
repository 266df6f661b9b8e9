import { type NodeRecord } from '@tenure/contracts';
import { type Deadline } from '@tenure/process';
import { type IndicatorId, type IndicatorState, noIndicator } from '../../domain/indicators.js';
import { type Indicator, type IndicatorCapability } from '../../ports/hardware-capabilities.js';
import { type BmcClient, type Resource } from './bmc-client.js';
import { textOf } from './json.js';
import { type FindTarget, systemOf } from './target.js';

const STATES: Readonly<Record<string, IndicatorState>> = {
  Off: 'off',
  Lit: 'on',
  Blinking: 'blinking',
};
const VALUES: Readonly<Partial<Record<IndicatorState, string>>> = {
  off: 'Off',
  on: 'Lit',
  blinking: 'Blinking',
};

interface Lamp extends Indicator {
  readonly resource: Resource;
}

/** Indicators of the system and of its chassis, by `IndicatorLED`. */
export function redfishIndicators(find: FindTarget): IndicatorCapability {
  const lamps = async (
    node: NodeRecord,
    deadline: Deadline,
  ): Promise<{ readonly bmc: BmcClient; readonly all: readonly Lamp[] }> => {
    const { bmc, system } = await systemOf(find, node, deadline);
    const all: Lamp[] = [];
    for (const path of system.chassisPaths) all.push(...lampOf('chassis', await bmc.read(path)));
    all.push(...lampOf('system', await bmc.read(system.path)));
    return { bmc, all };
  };
  const lamp = async (
    node: NodeRecord,
    id: IndicatorId,
    deadline: Deadline,
  ): Promise<{ readonly bmc: BmcClient; readonly one: Resource }> => {
    const { bmc, all } = await lamps(node, deadline);
    const found = all.find(({ component, name }) => component === id.component && name === id.name);
    if (found === undefined) throw noIndicator(id);
    return { bmc, one: found.resource };
  };
  return {
    list: async (node, deadline) =>
      (await lamps(node, deadline)).all.map(({ resource: _resource, ...indicator }) => indicator),
    get: async (node, id, deadline) => stateOf((await lamp(node, id, deadline)).one),
    set: async (node, { state, ...id }, deadline) => {
      const { bmc, one } = await lamp(node, id, deadline);
      if (stateOf(one) === state) return {};
      await bmc.patchAndSee(
        one,
        { IndicatorLED: VALUES[state] },
        {
          isThere: (seen) => stateOf(seen) === state,
          missing: 'the BMC took the indicator state, but does not show it',
        },
      );
      return {};
    },
  };
}

const lampOf = (component: string, resource: Resource): readonly Lamp[] =>
  textOf(resource.data['IndicatorLED']) === undefined
    ? []
    : [
        {
          component,
          name: resource.path.split('/').at(-1) ?? component,
          readonly: false,
          states: ['blinking', 'off', 'on'],
          resource,
        },
      ];

const stateOf = ({ data }: Resource): IndicatorState =>
  STATES[textOf(data['IndicatorLED']) ?? ''] ?? 'unknown';
