import { type NodeRecord } from '@tenure/contracts';
import {
  INDICATOR_STATES,
  type IndicatorId,
  type IndicatorState,
  noIndicator,
  uniqueName,
} from '../../domain/indicators.js';
import { type Fields, membersOf } from '../../domain/members.js';
import { type Indicator, type IndicatorCapability } from '../../ports/hardware-capabilities.js';
import { act } from './simulate.js';

const KEY = 'fake_indicators';

const LAMPS: readonly Indicator[] = [
  { component: 'chassis', name: 'led-0', readonly: true, states: ['off', 'on'] },
  { component: 'system', name: 'led', readonly: false, states: ['blinking', 'off', 'on'] },
];

const storedIn = (node: NodeRecord): Fields => membersOf(node.driver_internal_info[KEY]);

const stateIn = (node: NodeRecord, id: IndicatorId): IndicatorState =>
  INDICATOR_STATES.find((state) => state === storedIn(node)[uniqueName(id)]) ?? 'off';

export const fakeIndicators: IndicatorCapability = {
  list: () => Promise.resolve(LAMPS),
  get: async (node, id) => Promise.resolve(stateIn(node, existing(id))),
  set: async (node, { state, ...id }, deadline) => {
    existing(id);
    await act(node, 'indicators', deadline);
    return { [KEY]: { ...storedIn(node), [uniqueName(id)]: state } };
  },
};

function existing(id: IndicatorId): IndicatorId {
  if (LAMPS.some(({ component, name }) => component === id.component && name === id.name))
    return id;
  throw noIndicator(id);
}
