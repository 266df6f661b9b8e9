export * from './bodies.js';
export * from './fleet.js';
export * from './leases.js';
export * from './node-parts.js';
export * from './record-schemas.js';
export * from './resources.js';
export * from './servers.js';
export * from './values.js';
