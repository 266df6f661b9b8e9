export { addressBlockProblems, addressesIn } from './address-blocks.js';
export {
  type AddressGuard,
  addressGuard,
  agentUrlIn,
  allowedAddressOf,
  guardedLookup,
  hostOf,
  literalIn,
  pinnedLookup,
} from './address-guard.js';
export {
  assertBmcNetworks,
  BMC_VARIABLES,
  type BmcAddressCheck,
  createBmcAddressCheck,
  createBmcGuard,
  createPlaceGuard,
  type PlaceGuard,
  portOf,
  ownPortCheck,
} from './bmc-address.js';
export {
  type ClientAddress,
  type ClientAddressOf,
  createClientAddresses,
} from './client-address.js';
export { watchConnections } from './connections.js';
export { ipAddressIn } from './ip-address.js';
export * from './listener.js';
export * from './openstack/credential.js';
export * from './openstack/json-http.js';
export * from './openstack/owners.js';
export * from './openstack/service-session.js';
export * from './openstack/session-ask.js';
export * from './read-body.js';
export { repeatOnFailedConnection } from './repeat.js';
export * from './service-app.js';
export * from './service-client.js';
export { addSpent, SPENT_HEADER, type SpentElsewhere, spentIn } from './spent-header.js';
export { trustedProxiesVariable, trustedProxyProblems } from './trusted-proxies.js';
export { untilAborted } from './until-aborted.js';
export { type Spent } from './work-meter.js';
